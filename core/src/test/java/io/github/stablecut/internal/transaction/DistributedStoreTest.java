package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Change;
import io.github.stablecut.DeleteRangeResult;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.Watch;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.UnexpectedFailureException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.transaction.routing.PartitionProvider;
import io.github.stablecut.internal.transaction.routing.PartitionSettings;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.StoreOptions;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A store over the partitions of a cluster, and the calls that it refuses. */
final class DistributedStoreTest {
  private static final StoreOptions OPTIONS = StoreOptions.defaults().withLimits(LossyDisk.LIMITS);

  private record OneNode(
      List<PartitionAccess> partitions, ActiveSnapshots active, int transactionBytes, long epoch)
      implements PartitionProvider {}

  private static Partition open(ActiveSnapshots active) {
    return open(active, 0);
  }

  private static Partition open(ActiveSnapshots active, int number) {
    LossyDisk disk = LossyDisk.empty();
    return Partition.open(
        PartitionSettings.of(OPTIONS, LocalDataCentre.FIRST, number),
        PartitionContext.builder(1, PartitionSettings.clock(OPTIONS), active, (to, message) -> {})
            .build(),
        disk.journal(),
        disk.checkpoints());
  }

  private static Store over(PartitionAccess only, ActiveSnapshots active) {
    return over(only, active, Integer.MAX_VALUE);
  }

  private static Store over(PartitionAccess only, ActiveSnapshots active, int transactionBytes) {
    return EmbeddedStore.over(
        new StoreIdentity(1, 1), new OneNode(List.of(only), active, transactionBytes, 1), OPTIONS);
  }

  /** The partition, with failing first ticks. */
  private static PartitionAccess failing(
      Partition partition, List<Throwable> failures, CountDownLatch works) {
    Queue<Throwable> left = new ConcurrentLinkedQueue<>(failures);
    return (PartitionAccess)
        Proxy.newProxyInstance(
            PartitionAccess.class.getClassLoader(),
            new Class<?>[] {PartitionAccess.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("tick")) {
                Throwable failure = left.poll();
                if (failure != null) {
                  throw failure;
                }
                works.countDown();
              }
              return method.invoke(partition, arguments);
            });
  }

  @Test
  void anErrorOnTheResendingThreadDoesNotEndIt() throws InterruptedException {
    ActiveSnapshots active = EmbeddedStore.activeSnapshots(OPTIONS);
    CountDownLatch works = new CountDownLatch(1);
    List<Throwable> failures =
        List.of(new OutOfMemoryError("for a test"), new IllegalStateException("for a test"));
    try (Store store = over(failing(open(active), failures, works), active)) {
      works.await();

      assertThat(store.status().partitions()).isEqualTo(1);
    }
  }

  /** The partition, one of whose methods runs out of memory at its first call. */
  private static PartitionAccess withoutMemory(Partition partition, String failing) {
    AtomicBoolean hasFailed = new AtomicBoolean();
    return (PartitionAccess)
        Proxy.newProxyInstance(
            PartitionAccess.class.getClassLoader(),
            new Class<?>[] {PartitionAccess.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals(failing) && hasFailed.compareAndSet(false, true)) {
                throw new OutOfMemoryError("injected");
              }
              return method.invoke(partition, arguments);
            });
  }

  @Test
  void anUpdateWithoutMemoryChangesNothingAndSaysSo() {
    AddWinsSetKey<String> set = Key.addWinsSet("b", "set", Codec.string());
    CounterKey count = Key.counter("b", "k");
    List<List<Update>> calls =
        List.of(List.of(set.remove("x")), List.of(count.increment(), set.remove("x")));
    for (List<Update> updates : calls) {
      ActiveSnapshots active = EmbeddedStore.activeSnapshots(OPTIONS);
      Partition partition = open(active);
      partition.start();
      Update[] all = updates.toArray(Update[]::new);
      try (Store store = over(withoutMemory(partition, "downstream"), active)) {
        assertThatThrownBy(() -> store.update(all))
            .isInstanceOf(UnexpectedFailureException.class)
            .hasMessageContaining("not executed")
            .hasMessageContaining("more memory");
        assertThat(store.read(count)).isZero();
        assertThat(store.status().openTransactions()).isZero();

        store.update(all);
        assertThat(store.read(count)).isEqualTo(all.length - 1);
      }
    }
  }

  /** Even for unsent messages the store can't determine whether a partition may decide. */
  @Test
  void theOutcomeIsUnknownIfMemoryRunsOutWhileSeveralPartitionsCommit() {
    ActiveSnapshots active = EmbeddedStore.activeSnapshots(OPTIONS);
    List<PartitionAccess> partitions =
        List.of(withoutMemory(open(active, 0), "awaitCapacity"), open(active, 1));
    try (Store store =
        EmbeddedStore.over(
            new StoreIdentity(1, 2),
            new OneNode(partitions, active, Integer.MAX_VALUE, 1),
            OPTIONS)) {
      Update[] all =
          IntStream.range(0, 20)
              .mapToObj(i -> Key.counter("b", "k" + i).increment())
              .toArray(Update[]::new);

      assertThatThrownBy(() -> store.update(all))
          .isInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("injected");
    }
  }

  @Test
  void aWatchAsksThePartitionsAndSurvivesALostAnswer() throws InterruptedException {
    ActiveSnapshots active = EmbeddedStore.activeSnapshots(OPTIONS);
    Partition partition = open(active);
    partition.start();
    AtomicInteger asked = new AtomicInteger();
    PartitionAccess lossy =
        (PartitionAccess)
            Proxy.newProxyInstance(
                PartitionAccess.class.getClassLoader(),
                new Class<?>[] {PartitionAccess.class},
                (proxy, method, arguments) -> {
                  Object answer = method.invoke(partition, arguments);
                  if (method.getName().equals("commits") && asked.incrementAndGet() % 3 == 0) {
                    throw new PartitionUnavailableException("for a test");
                  }
                  return answer;
                });
    CounterKey count = Key.counter("b", "k");
    try (Store store = over(lossy, active);
        Watch watch = store.watch("b")) {
      for (int i = 1; i <= 50; i++) {
        store.update(count.increment());
        if (i % 5 == 0) {
          for (int told = i - 4; told <= i; told++) {
            Change change = watch.poll(Duration.ofMinutes(1)).orElseThrow();
            assertThat(change.read(count)).isEqualTo(told);
          }
        }
      }
      assertThat(watch.poll(Duration.ZERO)).isEqualTo(Optional.empty());
      assertThat(asked).hasValueGreaterThan(9);
    }
  }

  @Test
  void refusesATransactionTooLargeForTheReplicasOfPartitions() {
    ActiveSnapshots active = EmbeddedStore.activeSnapshots(OPTIONS);
    RegisterKey<Bytes> register = Key.register("b", "r", Codec.bytes());
    try (Store store = over(open(active), active, 1_000)) {
      assertThatThrownBy(() -> store.update(register.assign(Bytes.wrap(new byte[1_000]))))
          .isInstanceOf(LimitExceededException.class)
          .hasMessageContaining(
              "at most 1,000 (a thirty-second of the heap) are allowed where partitions have replicas");

      Transaction transaction = store.begin();
      transaction.update(register.assign(Bytes.wrap(new byte[600])));
      assertThatThrownBy(() -> transaction.update(register.assign(Bytes.wrap(new byte[600]))))
          .isInstanceOf(LimitExceededException.class);
      assertThat(transaction.read(register).orElseThrow().length()).isEqualTo(600);
    }
  }

  @Test
  void deletesAnObjectInPartsThatFitTheReplicas() {
    ActiveSnapshots active = EmbeddedStore.activeSnapshots(OPTIONS);
    Partition only = open(active);
    only.start();
    AddWinsSetKey<Long> set = Key.addWinsSet("b", "s", Codec.int64());
    try (Store store = over(only, active, 20_000)) {
      for (long from = 0; from < 5_000; from += 500) {
        store.update(set.addAll(LongStream.range(from, from + 500).boxed().toList()));
      }

      DeleteRangeResult deleted = store.deleteRange(ScanOptions.bucket("b"));

      assertThat(deleted.deleted()).isEqualTo(1);
      assertThat(store.read(set)).isEmpty();
    }
  }
}
