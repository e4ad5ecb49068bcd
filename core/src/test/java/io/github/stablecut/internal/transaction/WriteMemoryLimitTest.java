package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Hooks;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.thread.HeapPermits;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Large updates wait for heap permits, and release them. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WriteMemoryLimitTest {
  private static final int MANY = 3_000;
  private static final AddWinsSetKey<Long> SET = Key.addWinsSet("b", "set", Codec.int64());
  private static final AddWinsSetKey<Long> OTHER = Key.addWinsSet("b", "other", Codec.int64());

  @TempDir private Path directory;

  private static Update many(AddWinsSetKey<Long> set) {
    return set.addAll(LongStream.range(0, MANY).boxed().toList());
  }

  /** Takes all permits; would wait forever if any were kept. */
  private static HeapPermits.Permits all() {
    return HeapPermits.WRITES.acquire(Long.MAX_VALUE);
  }

  private static boolean isOfRoom(StackTraceElement element) {
    return element.getClassName().startsWith(HeapPermits.class.getName());
  }

  /** A thread that writes and waits for permits. */
  private static Thread waiting(Runnable write) {
    Thread thread = new Thread(write);
    thread.start();
    while (Arrays.stream(thread.getStackTrace()).noneMatch(WriteMemoryLimitTest::isOfRoom)) {
      assertThat(thread.isAlive()).isTrue();
      Thread.onSpinWait();
    }
    return thread;
  }

  @Test
  void aLargeUpdateWaitsAndASmallOneDoesNot() throws InterruptedException {
    try (Store store = Stablecut.open(directory)) {
      HeapPermits.Permits room = all();
      Thread writer = waiting(() -> store.update(many(SET)));

      store.update(SET.add(-1L));
      assertThat(store.read(SET.size())).isEqualTo(1);

      room.close();
      writer.join();
      assertThat(store.read(SET.size())).isEqualTo(MANY + 1);
    }
  }

  /** Its effect is in memory twice: encoded, and in the record. */
  @Test
  void anUpdateTakesSpaceForItsEffectTwice() throws InterruptedException {
    long once = CallTypes.weighOperation(SET.type(), many(SET).operation());
    long all = Runtime.getRuntime().maxMemory() / 8;
    try (Store store = Stablecut.open(directory)) {
      HeapPermits.Permits most = HeapPermits.WRITES.acquire(all - once - once / 2);
      Thread writer = waiting(() -> store.update(many(SET)));
      most.close();
      writer.join();

      HeapPermits.Permits less = HeapPermits.WRITES.acquire(all - 3 * once);
      store.update(many(SET));
      less.close();
    }
  }

  @Test
  void aLargeConditionalUpdateTakesSpaceForItsEffectTwice() throws InterruptedException {
    Condition isNew = Condition.not(Condition.holds(SET.contains(1L)));
    try (Store store = Stablecut.open(directory)) {
      HeapPermits.Permits room = all();
      Thread writer = waiting(() -> store.compareAndUpdate(isNew, many(SET)));

      store.update(SET.add(-1L));
      assertThat(store.read(SET.size())).isEqualTo(1);

      room.close();
      writer.join();
      assertThat(store.read(SET.size())).isEqualTo(MANY + 1);
      assertThat(store.compareAndUpdate(isNew, many(SET)).isWritten()).isFalse();
      all().close();
    }
  }

  @Test
  void aWaitingUpdateOfAClosedStoreFails() throws InterruptedException {
    Store store = Stablecut.open(directory);
    HeapPermits.Permits room = all();
    Throwable[] failure = new Throwable[1];
    Thread writer =
        waiting(
            () -> {
              try {
                store.update(many(SET));
              } catch (StoreClosedException e) {
                failure[0] = e;
              }
            });

    store.close();
    room.close();
    writer.join();

    assertThat(failure[0]).isNotNull();
    all().close();
  }

  @Test
  void finishedUpdatesReleaseTheirPermits() {
    StoreOptions options =
        StoreOptions.defaults()
            .withPartitions(3)
            .withLimits(StoreOptions.Limits.defaults().withValueBytes(1 << 20));
    try (Store store = Stablecut.open(directory, options)) {
      store.update(many(SET));
      all().close();

      store.update(many(SET), many(OTHER));
      all().close();

      var token = store.updateAsync(many(SET)).toCompletableFuture().join();
      assertThat(token).isNotNull();
      all().close();

      token = store.updateAsync(many(SET), many(OTHER)).toCompletableFuture().join();
      assertThat(token).isNotNull();
      all().close();

      store.openSession().update(1, many(SET));
      all().close();

      var tooLarge = OTHER.addAll(LongStream.range(0, 200_000).boxed().toList());
      assertThatThrownBy(() -> store.update(many(SET), tooLarge))
          .isInstanceOf(LimitExceededException.class);
      all().close();

      var otherType = Key.growOnlySet("b", "set", Codec.int64());
      List<Long> elements = LongStream.range(0, MANY).boxed().toList();
      assertThatThrownBy(() -> store.update(otherType.addAll(elements)))
          .isInstanceOf(TypeMismatchException.class);
      all().close();
    }
  }

  /** A hook may write, too: its waiter must not hold permits that the hook waits for. */
  @Test
  void hooksWaitForNoPermits() throws InterruptedException {
    Hooks hooks = Hooks.none().preCommit("b", (update, snapshot) -> update);
    try (Store store = Stablecut.open(directory, StoreOptions.defaults().withHooks(hooks))) {
      HeapPermits.Permits room = all();
      Thread writer = new Thread(() -> store.update(many(SET)));
      writer.start();

      writer.join(30_000);
      assertThat(writer.isAlive()).isFalse();
      room.close();

      assertThat(store.read(SET.size())).isEqualTo(MANY);
    }
  }
}
