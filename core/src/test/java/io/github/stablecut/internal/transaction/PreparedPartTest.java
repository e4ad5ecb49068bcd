package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.TestWrites;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.partition.commit.TransactionPart;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.transaction.routing.PartitionSettings;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.internal.watch.CommitFilter;
import io.github.stablecut.internal.watch.CommitHistory;
import io.github.stablecut.internal.watch.CommittedWrites;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Readers of a partition's journal find the outcomes of transactions that were prepared there. */
final class PreparedPartTest {
  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withLimits(LossyDisk.LIMITS.withSegmentBytes(1 << 20))
          .withExecutor(Runnable::run)
          .withCheckpoints(CheckpointPolicy.byCall().withEndlessRetention());

  private static final TransactionId ID = new TransactionId(0, 1, 1);

  /** Large enough that a segment has room for three. */
  private static final Bytes VALUE = Bytes.wrap(new byte[300_000]);

  private LossyDisk disk = LossyDisk.empty();
  private Partition partition = open(1);

  private Partition open(long epoch) {
    return Partition.open(
        PartitionSettings.of(OPTIONS, LocalDataCentre.FIRST, 1),
        PartitionContext.builder(
                epoch,
                PartitionSettings.clock(OPTIONS),
                new ActiveSnapshots(System::nanoTime, Duration.ofHours(1).toNanos()),
                (to, message) -> {})
            .build(),
        disk.journal(),
        disk.checkpoints());
  }

  private void killAndReopen() {
    LossyDisk left = disk.afterKill();
    partition.close();
    disk = left;
    partition = open(2);
  }

  @AfterEach
  void close() {
    partition.close();
  }

  private TransactionPart part(String name, TransactionMetadata facts) {
    RegisterKey<Bytes> key = Key.register("b", name, Codec.bytes());
    return TransactionPart.of(TestWrites.part(key.assign(VALUE), partition.stable()), facts);
  }

  private long commit(String name) {
    CompletionStage<VectorClock> committed =
        partition.commitAsync(part(name, TransactionMetadata.none()).toRequest(), Runnable::run);
    partition.flushGroup();
    return committed.toCompletableFuture().join().max();
  }

  private void prepare() {
    receive(
        new Message.Prepare(
            Message.Driver.GONE, part("prepared", TransactionMetadata.participant(ID, List.of()))));
  }

  private void receive(Message.ToPartition message) {
    partition.receive(message);
    partition.flushGroup();
  }

  private CommitHistory after(long time) {
    return partition.commits().history(VectorClock.of(time), CommitFilter.of(IdRange.all()));
  }

  /**
   * Reads commits one by one to the end; no chunk may report as complete a commit that a later
   * chunk brings.
   */
  private static Set<Long> read(CommitHistory history) {
    Set<Long> delivered = new TreeSet<>();
    VectorClock complete = VectorClock.ZERO;
    for (boolean atEnd = false; !atEnd; ) {
      CommitHistory.Piece piece = history.read(1);
      for (CommittedWrites writes : piece.writes()) {
        assertThat(writes.at().isAtOrBefore(complete)).isFalse();
        delivered.add(writes.at().max());
      }
      complete = piece.complete();
      atEnd = piece.atEnd();
    }
    return delivered;
  }

  @Test
  void findsAnOutcomeBehindLaterCommitsAlsoIfPreparedInAnEarlierSegment() {
    prepare();
    commit("first");
    long second = commit("second");
    long third = commit("third");
    long fourth = commit("fourth");
    CommitHistory undecided = after(second);
    assertThat(read(undecided)).isEmpty();
    CommitHistory unread = after(second);
    receive(new Message.Commit(ID, third + 1));
    assertThat(partition.journalStatus().segments()).hasSize(2);

    assertThat(read(undecided)).containsExactly(third, third + 1, fourth);
    assertThat(read(unread)).containsExactly(third, third + 1, fourth);
    assertThat(read(after(second))).containsExactly(third, third + 1, fourth);
    killAndReopen();
    assertThat(read(after(second))).containsExactly(third, third + 1, fourth);
  }

  @Test
  void anAbortedPartIsOverForReadersAndForTheNextOpening() {
    prepare();
    receive(new Message.Abort(ID));
    long first = commit("first");
    commit("second");

    CommitHistory.Piece piece = after(0).read(1);
    killAndReopen();

    assertThat(piece.atEnd()).isFalse();
    assertThat(piece.complete().max()).isEqualTo(first);
    assertThat(partition.inDoubt()).isEmpty();
  }

  @Test
  void anUndecidedPartIsInDoubtAfterOpening() {
    prepare();
    killAndReopen();

    assertThat(partition.inDoubt()).containsExactly(ID);
    assertThat(partition.stable()).isEqualTo(VectorClock.ZERO);
  }
}
