package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Hooks;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Store;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.error.UnexpectedFailureException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.transaction.routing.PartitionProvider;
import io.github.stablecut.internal.transaction.routing.PartitionSettings;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.journal.JournalFailedException;
import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An error on each thread of the engine: afterwards the store works, or it reports what has failed,
 * and nothing waits forever. Subscribers of watches are tested in {@code WatchPublisherTest}, the
 * thread that dispatches to watches in {@code WatchDispatcherTest}, those that complete stages in
 * {@code CompletionExecutorTest}.
 */
final class ThreadDeathTest {
  private static final CounterKey COUNTER = Key.counter("b", "k");

  private final LossyDisk disk = LossyDisk.empty();
  private final Faulty faulty = new Faulty();

  static Stream<Error> errors() {
    return Stream.of(
        new OutOfMemoryError("injected"),
        new StackOverflowError("injected"),
        new NoClassDefFoundError("injected"));
  }

  static Stream<Arguments> errorsInTheJournal() {
    return Stream.of("append", "force", "usableBytes")
        .flatMap(method -> errors().map(error -> Arguments.of(method, error)));
  }

  private static StoreOptions options() {
    return StoreOptions.defaults()
        .withLimits(LossyDisk.LIMITS)
        .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO));
  }

  private Store open(StoreOptions options) {
    return StoreOpening.open(
        faulty.in(SegmentStore.class, disk.journal()),
        faulty.in(Directory.class, disk.checkpoints()),
        options);
  }

  private static StoreStatus.Health health(Store store) {
    return store.status().health();
  }

  @ParameterizedTest
  @MethodSource("errorsInTheJournal")
  void anErrorOnTheCommittingThreadFailsTheJournalAndItsWaiters(String method, Error error) {
    try (Store store = open(options())) {
      store.update(COUNTER.increment());
      faulty.arm(error, method, "journal-sync");

      CompletableFuture<CausalToken> stage =
          store.updateAsync(COUNTER.increment()).toCompletableFuture();

      assertThatThrownBy(stage::join)
          .isInstanceOf(CompletionException.class)
          .cause()
          .isInstanceOf(JournalFailedException.class)
          .hasMessageContaining(error.toString())
          .hasMessageContaining("reopen");
      assertThatThrownBy(() -> store.update(COUNTER.increment()))
          .isInstanceOf(JournalFailedException.class);
      assertThat(store.read(COUNTER)).isEqualTo(1);
      assertThat(health(store).failures())
          .singleElement()
          .asString()
          .contains("partition 0 has stopped committing", "injected");
    }
    try (Store store = disk.afterKill().open(options())) {
      store.update(COUNTER.increment());
      assertThat(store.read(COUNTER)).isBetween(2L, 3L);
    }
  }

  /** A lone committer writes and syncs itself, as soon as the journal's thread sleeps. */
  @ParameterizedTest
  @MethodSource("errorsInTheJournal")
  void anErrorOnAFlushingCallerFailsTheJournalAndTheCaller(String method, Error error) {
    long[] acknowledged = {0};
    try (Store store = open(options())) {
      CountDownLatch hit = faulty.arm(error, method, Thread.currentThread().getName());

      assertThatThrownBy(
              () -> {
                while (true) {
                  store.update(COUNTER.increment());
                  acknowledged[0]++;
                }
              })
          .isInstanceOf(JournalFailedException.class)
          .hasMessageContaining(error.toString())
          .hasMessageContaining("reopen");
      assertThat(hit.getCount()).isZero();
      assertThat(store.read(COUNTER)).isEqualTo(acknowledged[0]);
      assertThat(health(store).failures())
          .singleElement()
          .asString()
          .contains("partition 0 has stopped committing", "injected");
    }
    try (Store store = disk.afterKill().open(options())) {
      assertThat(store.read(COUNTER)).isBetween(acknowledged[0], acknowledged[0] + 1);
    }
  }

  @ParameterizedTest
  @MethodSource("errors")
  void anErrorOnTheCheckpointThreadReachesTheCallerAndTheNextSucceeds(Error error) {
    try (Store store = open(options())) {
      store.update(COUNTER.increment());
      faulty.arm(error, "create", "checkpoint-");

      assertThatThrownBy(store::checkpoint)
          .isInstanceOf(UnexpectedFailureException.class)
          .hasMessageContaining("a checkpoint failed")
          .hasCause(error);
      assertThat(health(store).failures()).isEmpty();
      assertThat(health(store).warnings()).singleElement().asString().contains("injected");

      store.update(COUNTER.increment());
      store.checkpoint();
      assertThat(health(store).warnings()).isEmpty();
      assertThat(store.read(COUNTER)).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @MethodSource("errors")
  void afterAnErrorOnTheMergeThreadTheNextMergeSucceeds(Error error) {
    try (Store store = open(options())) {
      CountDownLatch hit = faulty.arm(error, "create", "merge-");
      checkpointUntil(store, () -> hit.getCount() == 0);
      AtomicInteger most = new AtomicInteger();

      checkpointUntil(store, () -> runs(store) < most.accumulateAndGet(runs(store), Math::max));
      assertThat(health(store).failures()).isEmpty();
    }
  }

  private static int runs(Store store) {
    return store.status().checkpoints().runs();
  }

  private interface Condition {
    boolean holds();
  }

  private static void checkpointUntil(Store store, Condition condition) {
    while (!condition.holds()) {
      store.update(COUNTER.increment());
      store.checkpoint();
    }
  }

  @ParameterizedTest
  @MethodSource("errors")
  void afterAnErrorOnTheFoldingThreadReadersFold(Error error) throws InterruptedException {
    StoreOptions onDisk =
        options().withLimits(LossyDisk.LIMITS.withEffectBytes(0)).withPartitions(1);
    try (Store store = open(onDisk)) {
      CountDownLatch hit = faulty.arm(error, "view", "background-");
      long written = 0;
      while (hit.getCount() > 0) {
        store.update(COUNTER.increment());
        written++;
      }
      hit.await();

      assertThat(store.read(COUNTER)).isEqualTo(written);
      store.update(COUNTER.increment());
      assertThat(store.read(COUNTER)).isEqualTo(written + 1);
    }
  }

  /** The partitions of a store of one node. */
  private record OneNode(List<PartitionAccess> partitions, ActiveSnapshots active, long epoch)
      implements PartitionProvider {
    @Override
    public int transactionBytes() {
      return Integer.MAX_VALUE;
    }
  }

  @ParameterizedTest
  @MethodSource("errors")
  void afterAnErrorOnTheResendingThreadTheNextTickComes(Error error) throws InterruptedException {
    ActiveSnapshots active = EmbeddedStore.activeSnapshots(options());
    Partition only =
        Partition.open(
            PartitionSettings.of(options(), LocalDataCentre.FIRST, 0),
            PartitionContext.builder(
                    1, PartitionSettings.clock(options()), active, (to, message) -> {})
                .build(),
            disk.journal(),
            disk.checkpoints());
    only.start();
    PartitionAccess faultyOne = faulty.in(PartitionAccess.class, only);
    CountDownLatch first = faulty.arm(error, "tick", "partitions-tick");
    try (Store store =
        EmbeddedStore.over(
            new StoreIdentity(1, 1), new OneNode(List.of(faultyOne), active, 1), options())) {
      first.await();
      faulty.arm(error, "tick", "partitions-tick").await();

      assertThat(health(store).warnings()).singleElement().asString().contains("partitions-tick");
      store.update(COUNTER.increment());
      assertThat(store.read(COUNTER)).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @MethodSource("errors")
  void anErrorOnAHookThreadReachesTheWriterAndLaterHooksRun(Error error) {
    AtomicInteger before = new AtomicInteger();
    CountDownLatch after = new CountDownLatch(2);
    Hooks hooks =
        Hooks.none()
            .preCommit(
                "b",
                (update, snapshot) -> {
                  if (before.incrementAndGet() == 1) {
                    throw error;
                  }
                  return update;
                })
            .postCommit(
                "b",
                committed -> {
                  after.countDown();
                  throw error;
                });
    try (Store store = open(options().withHooks(hooks))) {
      assertThatThrownBy(() -> store.update(COUNTER.increment())).hasRootCause(error);
      store.update(COUNTER.increment());
      Snapshot second = store.at(store.update(COUNTER.increment()));

      assertThat(second.read(COUNTER)).isEqualTo(2);
      assertThat(Optional.of(after).filter(ThreadDeathTest::isReached)).isPresent();
    }
  }

  private static boolean isReached(CountDownLatch latch) {
    try {
      latch.await();
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }
}
