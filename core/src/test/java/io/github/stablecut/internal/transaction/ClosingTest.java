package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Pin;
import io.github.stablecut.Scan;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.internal.transaction.routing.PartitionFiles;
import io.github.stablecut.internal.truncation.Maintenance;
import io.github.stablecut.journal.segment.CorruptJournalException;
import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.journal.testing.LossySegments;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CacheOptions;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A store is closed while others use it or wait for it. */
final class ClosingTest {
  private static final int TIMES = 30;
  private static final int USERS = 2;
  private static final int PARTITIONS = 3;

  private static final List<CounterKey> KEYS =
      IntStream.range(0, 20).mapToObj(i -> Key.counter("b", "k" + i)).toList();

  private static final CounterKey FIRST = KEYS.get(0);

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults().withLimits(LossyDisk.LIMITS).withCache(CacheOptions.off());

  private static Update[] increments() {
    return KEYS.stream().map(key -> key.increment(1)).toArray(Update[]::new);
  }

  private static Named<Consumer<Store>> use(String name, Consumer<Store> once) {
    return Named.of(name, once);
  }

  /** The uses that other threads repeat. */
  static Stream<Named<Consumer<Store>>> uses() {
    return Stream.of(
        use("read", store -> store.read(FIRST)),
        use("read several", store -> store.read(KEYS)),
        use("read async", store -> store.readAsync(KEYS).toCompletableFuture().join()),
        use("read latest", store -> store.readLatest(FIRST)),
        use("read a snapshot", store -> store.snapshot().read(KEYS)),
        use("scan", ClosingTest::scan),
        use("pin", ClosingTest::pin),
        use("update", store -> store.update(increments())),
        use("update async", store -> store.updateAsync(increments()).toCompletableFuture().join()),
        use("transact", ClosingTest::transact),
        use("condition", ClosingTest::updateIfAll),
        use("session", store -> store.openSession().update(1, increments())),
        use("status", Store::status),
        use("checkpoint", Store::checkpoint));
  }

  private static void scan(Store store) {
    try (Scan scan = store.snapshot().scan("b")) {
      scan.forEachRemaining(object -> {});
    }
  }

  private static void pin(Store store) {
    try (Pin pin = store.pin(store.snapshot().token())) {
      assertThat(pin.read(FIRST)).isPositive();
    }
  }

  private static void transact(Store store) {
    try (Transaction transaction =
        store.begin(TransactionOptions.defaults().certify(Certification.READS_WRITES))) {
      transaction.update(KEYS.get(1).increment(transaction.read(FIRST)));
      transaction.commit();
    } catch (ConflictException e) {
      // A concurrent transaction won.
    }
  }

  private static void updateIfAll(Store store) {
    store.compareAndUpdate(List.of(FIRST), found -> true, FIRST.increment());
  }

  @ParameterizedTest
  @MethodSource("uses")
  void usersLearnThatTheStoreIsClosed(Consumer<Store> use) throws Exception {
    for (int time = 0; time < TIMES; time++) {
      EmbeddedStore store = store();
      CountDownLatch areUsing = new CountDownLatch(USERS);
      List<FutureTask<@Nullable Throwable>> users = new ArrayList<>();
      for (int user = 0; user < USERS; user++) {
        FutureTask<@Nullable Throwable> task = new FutureTask<>(() -> end(store, use, areUsing));
        users.add(task);
        new Thread(task).start();
      }
      areUsing.await();
      store.close();
      for (FutureTask<@Nullable Throwable> user : users) {
        assertThat(user.get()).isInstanceOf(StoreClosedException.class);
      }
    }
  }

  private static EmbeddedStore store() {
    List<PartitionFiles> files = new ArrayList<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      LossyDisk disk = LossyDisk.empty();
      files.add(new PartitionFiles(disk.journal(), disk.checkpoints()));
    }
    EmbeddedStore store = StoreOpening.open(1, files, OPTIONS);
    store.update(increments());
    return store;
  }

  /** How the use of a store ends. */
  private static @Nullable Throwable end(
      Store store, Consumer<Store> use, CountDownLatch areUsing) {
    while (true) {
      try {
        use.accept(store);
      } catch (CompletionException e) {
        return e.getCause();
      } catch (RuntimeException e) {
        return e;
      } finally {
        // Also if it has failed: waiters continue and see that.
        areUsing.countDown();
      }
    }
  }

  @Test
  void waitersForAPendingCheckpointLearnThatTheStoreIsClosed() throws Exception {
    EmbeddedStore store = store();
    FutureTask<@Nullable Throwable> first = new FutureTask<>(() -> checkpoint(store));
    FutureTask<@Nullable Throwable> second = new FutureTask<>(() -> checkpoint(store));
    Maintenance maintenance = store.partitions().local().get(0).maintenance();
    Maintenance.Pause pause = maintenance.pause();
    try {
      startAndAwaitWaiting(first);
      startAndAwaitWaiting(second);
      Thread closing = new Thread(store::close);
      closing.start();
      while (closing.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
    } finally {
      pause.close();
    }

    // The first may have started, and then finishes; the second did not start.
    assertThat(first.get())
        .satisfiesAnyOf(
            none -> assertThat(none).isNull(),
            told -> assertThat(told).isInstanceOf(StoreClosedException.class));
    assertThat(second.get()).isInstanceOf(StoreClosedException.class);
  }

  private static void startAndAwaitWaiting(FutureTask<?> task) {
    Thread thread = new Thread(task);
    thread.start();
    while (thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
  }

  private static @Nullable Throwable checkpoint(Store store) {
    try {
      store.checkpoint();
      return null;
    } catch (RuntimeException e) {
      return e;
    }
  }

  /**
   * If a partition can't be opened, neither is the store, and nothing of any partition stays open.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void aFailedOpeningLeavesNothingOpen(int damaged) {
    List<LossySegments> journals = new ArrayList<>();
    List<PartitionFiles> files = new ArrayList<>();
    AtomicInteger closed = new AtomicInteger();
    for (int number = 0; number < PARTITIONS; number++) {
      LossySegments journal = new LossySegments();
      journals.add(journal);
      files.add(new PartitionFiles(journal, new LossyDirectory()));
    }
    StoreOpening.open(1, files, OPTIONS).close();
    journals.get(damaged).replace(1, new byte[LossySegments.PAGE_BYTES]);
    List<PartitionFiles> again =
        files.stream()
            .map(one -> new PartitionFiles(counted(one.journal(), closed), one.checkpoints()))
            .toList();

    assertThatThrownBy(() -> StoreOpening.open(2, again, OPTIONS))
        .isInstanceOf(CorruptJournalException.class);
    assertThat(closed).hasValueGreaterThanOrEqualTo(PARTITIONS);
  }

  /** Segments whose first close is counted. */
  private static SegmentStore counted(SegmentStore journal, AtomicInteger closed) {
    AtomicBoolean isClosed = new AtomicBoolean();
    return (SegmentStore)
        Proxy.newProxyInstance(
            SegmentStore.class.getClassLoader(),
            new Class<?>[] {SegmentStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close") && isClosed.compareAndSet(false, true)) {
                closed.incrementAndGet();
              }
              try {
                return method.invoke(journal, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
