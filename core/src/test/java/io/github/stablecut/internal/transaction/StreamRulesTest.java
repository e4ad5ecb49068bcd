package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionStreams;
import io.github.stablecut.internal.partition.PartitionStreams.Receipt;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.internal.stream.ForkedStreamException;
import io.github.stablecut.internal.stream.StreamBatch;
import io.github.stablecut.internal.stream.StreamReader;
import io.github.stablecut.internal.transaction.routing.PartitionSettings;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The transactions of another data centre's stream that a partition accepts, refuses, and forwards.
 */
final class StreamRulesTest {
  private static final LocalDataCentre LOCAL = new LocalDataCentre(1);
  private static final int SOURCE = 2;
  private static final int STRANGER = 5;
  private static final long CREDIT = 1 << 20;

  private final ActiveSnapshots active =
      new ActiveSnapshots(System::nanoTime, Duration.ofHours(1).toNanos());
  private LossyDisk disk = LossyDisk.empty();
  private long epoch;

  /** How far the wall clock has jumped. */
  private Duration suspended = Duration.ZERO;

  /** The vector that all partitions of the store have. */
  private UnaryOperator<VectorClock> shared = UnaryOperator.identity();

  private Partition partition = opened();

  private Partition opened() {
    StoreOptions options =
        StoreOptions.defaults()
            .withLimits(LossyDisk.LIMITS)
            .withExecutor(Runnable::run)
            .withClock(() -> Instant.now().plus(suspended))
            .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO));
    return Partition.open(
        PartitionSettings.of(options, LOCAL, 0),
        PartitionContext.builder(
                ++epoch, PartitionSettings.clock(options), active, (to, message) -> {})
            .elsewhere(shared)
            .shared(shared)
            .recorded(shared)
            .otherDataCentres(Set.of(SOURCE))
            .build(),
        disk.journal(),
        disk.checkpoints());
  }

  private void restart() {
    LossyDisk left = disk.afterKill();
    partition.close();
    disk = left;
    partition = opened();
  }

  @AfterEach
  void close() {
    partition.close();
  }

  private static byte[] transaction(int dataCentre, long time, long previous, VectorClock read) {
    byte[] body =
        TransactionRecord.encode(
            dataCentre, read, VectorClock.ZERO, TransactionMetadata.none(), List.of());
    TransactionRecord.setCommitTime(body, time);
    return TransactionRecord.linked(body, 0, previous);
  }

  private static byte[] transaction(long time, long previous) {
    return transaction(SOURCE, time, previous, VectorClock.ZERO);
  }

  private Receipt receive(long after, long through, byte[]... transactions) {
    StreamBatch batch =
        new StreamBatch(SOURCE, after, through, List.of(transactions), VectorClock.ZERO);
    Receipt receipt = partition.streams().receive(batch);
    partition.flushGroup();
    return receipt;
  }

  private PartitionStreams streams() {
    return partition.streams();
  }

  /** The commit times sent to a reader that has some already. */
  private List<Long> forwarded(StreamReader.Start start) {
    return streams().read(SOURCE, start).read(CREDIT).records().stream()
        .map(record -> TransactionRecord.commit(record, 0).time())
        .toList();
  }

  @Test
  void acceptsTheNextTransactionOnceAndInOrder() {
    assertThat(receive(0, 10, transaction(10, 0))).isEqualTo(Receipt.TAKEN);
    assertThat(receive(10, 30, transaction(20, 10), transaction(30, 20))).isEqualTo(Receipt.TAKEN);
    assertThat(receive(10, 20, transaction(20, 10))).isEqualTo(Receipt.TAKEN);
    assertThat(receive(20, 30, transaction(30, 20))).isEqualTo(Receipt.TAKEN);

    assertThat(streams().last(SOURCE)).isEqualTo(30);
    assertThat(streams().reached().get(SOURCE)).isEqualTo(30);
    assertThat(forwarded(StreamReader.Start.BEGINNING)).containsExactly(10L, 20L, 30L);
  }

  @Test
  void acceptsNothingBehindAGap() {
    assertThat(receive(10, 20, transaction(20, 10))).isEqualTo(Receipt.GAP);
    assertThat(receive(10, 20)).isEqualTo(Receipt.GAP);

    assertThat(streams().reached().get(SOURCE)).isZero();
    assertThat(forwarded(StreamReader.Start.BEGINNING)).isEmpty();
  }

  @Test
  void doesNotBelieveATimeWithoutTransactionsUntilEverythingBeforeItIsDurable() {
    StreamBatch batch =
        new StreamBatch(SOURCE, 0, 10, List.of(transaction(10, 0)), VectorClock.ZERO);
    assertThat(streams().receive(batch)).isEqualTo(Receipt.TAKEN);
    assertThat(streams().receive(new StreamBatch(SOURCE, 10, 15, List.of(), VectorClock.ZERO)))
        .isEqualTo(Receipt.TAKEN);
    assertThat(streams().reached().get(SOURCE)).isZero();

    partition.flushGroup();

    assertThat(streams().reached().get(SOURCE)).isEqualTo(10);
  }

  @Test
  void forgetsATimeWithoutTransactionsUnlessTheJournalHasIt() {
    receive(0, 10, transaction(10, 0));
    receive(10, 15);
    assertThat(streams().reached().get(SOURCE)).isEqualTo(15);
    assertThat(streams().recorded().get(SOURCE)).isEqualTo(10);
    restart();
    assertThat(streams().reached().get(SOURCE)).isEqualTo(10);

    receive(10, 15);
    streams().recordReached();
    restart();
    assertThat(streams().reached().get(SOURCE)).isEqualTo(15);
  }

  /** Others may have truncated by a time that this partition has acknowledged. */
  @Test
  void aRecordedTimeWithoutTransactionsOutlivesTheJournalsSegments() {
    shared = vector -> vector.meet(VectorClock.ZERO.with(SOURCE, 10));
    restart();
    receive(0, 10, transaction(10, 0));
    receive(10, 15);
    streams().recordReached();
    restart();
    int segments = disk.journal().segments().size();
    streams().acknowledged(SOURCE, streams().recorded());
    assertThat(partition.maintain()).isEmpty();
    assertThat(disk.journal().segments()).hasSizeLessThan(segments);

    restart();

    assertThat(streams().recorded().get(SOURCE)).isEqualTo(15);
  }

  @Test
  void acceptsTransactionsAfterAReportedTime() {
    receive(0, 10, transaction(10, 0));
    receive(10, 15);

    assertThat(receive(15, 20, transaction(20, 15))).isEqualTo(Receipt.TAKEN);
  }

  @Test
  void refusesForeignTransactions() {
    VectorClock later = VectorClock.ZERO.with(0, 30);
    byte[][] wrong = {
      transaction(STRANGER, 20, 10, VectorClock.ZERO),
      transaction(20, 9),
      transaction(10, 10),
      transaction(31, 10),
      transaction(SOURCE, 20, 10, later),
      TransactionRecord.encode(
          SOURCE, VectorClock.ZERO, VectorClock.ZERO, TransactionMetadata.none(), List.of())
    };
    receive(0, 10, transaction(10, 0));
    for (byte[] transaction : wrong) {
      assertThatThrownBy(() -> receive(10, 30, transaction)).isInstanceOf(FormatException.class);
    }
    StreamBatch unknown = new StreamBatch(STRANGER, 0, 10, List.of(), VectorClock.ZERO);
    assertThatThrownBy(() -> streams().receive(unknown))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("data centre 5 is not a member");

    assertThat(streams().last(SOURCE)).isEqualTo(10);
  }

  @Test
  void transactionsFromTheFutureWait() {
    long ahead = Timestamp.of(Timestamp.countAt(System.currentTimeMillis() + 600_000), 0);

    assertThat(receive(0, ahead, transaction(ahead, 0))).isEqualTo(Receipt.TOO_EARLY);
    assertThat(receive(0, ahead)).isEqualTo(Receipt.TOO_EARLY);
    assertThat(streams().last(SOURCE)).isZero();
  }

  /**
   * The wall clock of a machine that was suspended jumps, and its monotonic clock has stood still.
   */
  @Test
  void transactionsFromTheTimeOfASuspensionDoNotWait() {
    suspended = Duration.ofMinutes(10);
    long present =
        Timestamp.of(Timestamp.countAt(System.currentTimeMillis() + suspended.toMillis()), 0);

    assertThat(receive(0, present, transaction(present, 0))).isEqualTo(Receipt.TAKEN);
  }

  @Test
  void refusesAStreamThatOmitsAPresentTransactionAlsoAfterARestart() {
    receive(0, 10, transaction(10, 0));
    receive(10, 20, transaction(20, 10));

    assertThat(receive(10, 30, transaction(30, 10))).isEqualTo(Receipt.FORK);
    restart();
    assertThat(receive(10, 30, transaction(30, 10))).isEqualTo(Receipt.FORK);

    assertThat(streams().last(SOURCE)).isEqualTo(20);
    assertThat(receive(20, 30, transaction(30, 20))).isEqualTo(Receipt.TAKEN);
  }

  @Test
  void forwardsNothingToAReaderWithAnotherTransaction() {
    receive(0, 10, transaction(10, 0));
    receive(10, 40, transaction(30, 10), transaction(40, 30));

    assertForked(new StreamReader.Start(20, 20, 20));
    // A reader without another one says that there was none between 10 and 35.
    assertForked(new StreamReader.Start(10, 35, 10));
    assertThat(forwarded(new StreamReader.Start(10, 10, 10))).containsExactly(30L, 40L);
    // It has started with a checkpoint, which may name a transaction of another partition.
    assertThat(forwarded(new StreamReader.Start(20, 20, 0))).containsExactly(30L, 40L);
    assertThat(forwarded(new StreamReader.Start(30, 35, 0))).containsExactly(40L);
  }

  @Test
  void findsADeniedTransactionInEarlierSegmentsToo() {
    receive(0, 10, transaction(10, 0));
    receive(10, 30, transaction(30, 10));
    // The next ones are in another segment.
    restart();
    receive(30, 60, transaction(50, 30));
    // Its link is no transaction, which the reader may know better.
    receive(60, 70, transaction(70, 60));

    assertForked(new StreamReader.Start(10, 40, 10));
    assertThat(forwarded(new StreamReader.Start(50, 65, 50))).containsExactly(70L);
  }

  private void assertForked(StreamReader.Start start) {
    assertThatThrownBy(() -> forwarded(start))
        .isInstanceOfSatisfying(
            ForkedStreamException.class, fork -> assertThat(fork.after()).isEqualTo(10));
  }
}
