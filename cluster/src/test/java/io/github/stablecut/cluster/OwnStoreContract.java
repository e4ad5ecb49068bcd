package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Change;
import io.github.stablecut.Store;
import io.github.stablecut.Watch;
import io.github.stablecut.error.StoreClosedException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The contract of a store that a test has to itself and may close. */
abstract class OwnStoreContract extends WatchedStoreContract {
  @Test
  void refusesAClosedStore() {
    Store store = store();
    store.close();
    store.close();

    assertThatThrownBy(() -> store.read(likes)).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(() -> store.update(likes.increment()))
        .isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(store::begin).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(store::status).isInstanceOf(StoreClosedException.class);
  }

  @Test
  void aWatchEndsWithItsStore() throws Exception {
    Watch watch = store().watch(bucket);
    Watch published = store().watch(bucket);
    CompletableFuture<Throwable> ended = new CompletableFuture<>();
    published.publisher().subscribe(new Idle(ended));
    CompletableFuture<Change> next = new CompletableFuture<>();
    Thread waiting =
        new Thread(
            () -> {
              try {
                next.complete(watch.next());
              } catch (Throwable e) {
                next.completeExceptionally(e);
              }
            });
    waiting.start();

    store().close();

    assertThat(next)
        .failsWithin(1, TimeUnit.MINUTES)
        .withThrowableThat()
        .withCauseInstanceOf(StoreClosedException.class);
    assertThat(ended.get(1, TimeUnit.MINUTES)).isInstanceOf(StoreClosedException.class);
  }

  /** A subscriber that requests nothing. */
  private record Idle(CompletableFuture<Throwable> ended) implements Flow.Subscriber<Change> {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {}

    @Override
    public void onNext(Change change) {}

    @Override
    public void onError(Throwable failure) {
      ended.complete(failure);
    }

    @Override
    public void onComplete() {}
  }
}
