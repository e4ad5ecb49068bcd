package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Hooks;
import io.github.stablecut.Session;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.BoundedCounterKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.StoreOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A transaction of one update ends, and obeys the same rules as others. */
class SingleUpdateTest {
  private static final CounterKey COUNTER = Key.counter("b", "counter");
  private static final BoundedCounterKey STOCK = Key.boundedCounter("b", "stock");
  private static final Update OF_ANOTHER_TYPE =
      Key.register("b", "counter", Codec.string()).assign("x");
  private static final Update TOO_LARGE =
      Key.register("b", "large", Codec.bytes()).assign(Bytes.wrap(new byte[2 << 20]));

  private final List<Update> hooked = new ArrayList<>();
  private final EmbeddedStore store =
      LossyDisk.empty()
          .open(
              StoreOptions.defaults()
                  .withLimits(LossyDisk.LIMITS.withValueBytes(1 << 20))
                  .withHooks(
                      Hooks.none()
                          .preCommit(
                              "hooked",
                              (update, snapshot) -> {
                                hooked.add(update);
                                return update;
                              })));

  @AfterEach
  void noSnapshotIsActive() {
    assertThat(store.partitions().activeSnapshots().count()).isZero();
    store.close();
  }

  @Test
  void isCommitted() {
    CausalToken first = store.update(COUNTER.increment());
    CausalToken second = store.updateAsync(COUNTER.increment()).toCompletableFuture().join();
    CausalToken third =
        store
            .updateAtOnce(
                Optional.of(second), Certification.NONE, Runnable::run, COUNTER.increment())
            .orElseThrow()
            .toCompletableFuture()
            .join();

    assertThat(store.at(first).read(COUNTER)).isEqualTo(1);
    assertThat(store.at(second).read(COUNTER)).isEqualTo(2);
    assertThat(store.at(third).read(COUNTER)).isEqualTo(3);
  }

  @Test
  void aSessionExecutesItOnce() {
    Session session = store.openSession();

    CausalToken first = session.update(1, COUNTER.increment());
    CausalToken again = store.session(session.id()).update(1, COUNTER.increment());

    assertThat(store.read(COUNTER)).isEqualTo(1);
    assertThat(first.vector().isAtOrBefore(again.vector())).isTrue();
  }

  @Test
  void aRefusedUpdateChangesNothing() {
    store.update(COUNTER.increment());

    assertThatThrownBy(() -> store.update(OF_ANOTHER_TYPE))
        .isInstanceOf(TypeMismatchException.class);
    assertThatThrownBy(() -> store.updateAsync(OF_ANOTHER_TYPE))
        .isInstanceOf(TypeMismatchException.class);
    assertThatThrownBy(() -> store.update(TOO_LARGE)).isInstanceOf(LimitExceededException.class);
    assertThatThrownBy(() -> store.updateAsync(TOO_LARGE))
        .isInstanceOf(LimitExceededException.class);
    assertThatThrownBy(() -> store.update(STOCK.decrement(1)))
        .isInstanceOf(OperationRefusedException.class);

    assertThat(store.read(COUNTER)).isEqualTo(1);
    assertThat(store.read(STOCK)).isZero();
  }

  @Test
  void hooksSeeIt() {
    Update update = Key.counter("hooked", "counter").increment();

    store.update(update);

    assertThat(hooked).containsExactly(update);
  }
}
