package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Store;
import io.github.stablecut.error.StoreClosedException;
import org.junit.jupiter.api.Test;

/** What a user of a store in one process sees, which has watches and is nobody else's. */
abstract class OwnStoreContract extends WatchedStoreContract {
  @Test
  void aClosedStoreIsRefused() {
    Store store = store();
    store.close();
    store.close();

    assertThatThrownBy(() -> store.read(likes)).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(() -> store.update(likes.increment()))
        .isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(store::begin).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(store::status).isInstanceOf(StoreClosedException.class);
  }
}
