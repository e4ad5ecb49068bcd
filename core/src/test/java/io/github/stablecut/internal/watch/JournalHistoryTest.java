package io.github.stablecut.internal.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.register.LwwRegister;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.record.EndRecord;
import io.github.stablecut.internal.record.ReachedRecord;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.internal.thread.HeapPermits;
import io.github.stablecut.journal.GroupListener;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalFailedException;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.journal.PendingRecord;
import io.github.stablecut.journal.segment.ForwardingSegments;
import io.github.stablecut.journal.segment.SegmentView;
import io.github.stablecut.journal.testing.LossySegments;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commits read back from a journal. */
final class JournalHistoryTest {
  private static final Bytes ID = Bytes.utf8("id");
  private static final TransactionId FIRST = new TransactionId(1, 1, 1);
  private static final TransactionId SECOND = new TransactionId(2, 1, 1);

  private final AtomicReference<VectorClock> stable = new AtomicReference<>(VectorClock.ZERO);

  /** No thread waits for records here. */
  private static final class NoWaiters implements GroupListener {
    @Override
    public void durable(List<PendingRecord> group) {}

    @Override
    public void failed(List<PendingRecord> group, JournalFailedException failure) {}
  }

  /** The number of times that a segment was read. */
  private int views;

  private final Journal journal =
      Journal.open(
          new ForwardingSegments(new LossySegments()) {
            @Override
            public SegmentView view(int segment) throws IOException {
              views++;
              return super.view(segment);
            }
          },
          JournalOptions.named("test").withReserveBytes(0),
          new NoWaiters(),
          stored -> {});

  @AfterEach
  void close() {
    journal.close();
  }

  private void commit(long time) {
    append(RecordKind.TRANSACTION, time, TransactionMetadata.none());
  }

  private void prepare(TransactionId id, long time) {
    append(RecordKind.PREPARED, time, TransactionMetadata.participant(id, List.of()));
  }

  private void learn(TransactionId id, long time) {
    append(RecordKind.TRANSACTION, time, TransactionMetadata.participant(id, List.of()));
  }

  private void abort(TransactionId id) {
    append(RecordKind.END, EndRecord.encode(id));
  }

  private void receive(int dataCentre, VectorClock snapshot, long time) {
    append(RecordKind.TRANSACTION, dataCentre, snapshot, time, TransactionMetadata.received(0));
  }

  private void append(byte kind, long time, TransactionMetadata facts) {
    append(kind, 0, VectorClock.ZERO, time, facts);
  }

  private void append(
      byte kind, int dataCentre, VectorClock snapshot, long time, TransactionMetadata facts) {
    OperationContext context = new OperationContext(0, VectorClock.ZERO, new SelfDots());
    Object effect =
        CallTypes.downstream(
            PnCounter.TYPE, new PnCounter.Add(1), PnCounter.TYPE.initial(), context);
    byte[] encoded = CallTypes.encodeEffect(PnCounter.TYPE, effect);
    byte[] body =
        TransactionRecord.encode(
            dataCentre,
            snapshot,
            VectorClock.ZERO,
            facts,
            List.of(new TransactionRecord.Entry(ID, List.of(encoded))));
    TransactionRecord.setCommitTime(body, time);
    append(kind, body);
  }

  private void append(byte kind, byte[] body) {
    journal.append(new PendingRecord(kind, body, body.length));
    journal.flushGroup();
  }

  private JournalHistory after(long time) {
    return after(VectorClock.of(time));
  }

  private JournalHistory after(VectorClock point) {
    return after(point, false);
  }

  private JournalHistory after(VectorClock point, boolean withEffects) {
    return new JournalHistory(
        new JournalCommits.Components(LocalDataCentre.FIRST, journal, stable::get, after -> {}),
        point,
        new CommitFilter(IdRange.all(), withEffects),
        0);
  }

  private void commitLarge(long time, int bytes) {
    byte[] body =
        TransactionRecord.encode(
            0,
            VectorClock.ZERO,
            VectorClock.ZERO,
            TransactionMetadata.none(),
            List.of(
                new TransactionRecord.Entry(
                    ID,
                    List.of(
                        CallTypes.encodeEffect(
                            LwwRegister.TYPE,
                            new LwwRegister.Write(
                                Dot.self(0), Optional.of(Bytes.wrap(new byte[bytes]))))))));
    TransactionRecord.setCommitTime(body, time);
    append(RecordKind.TRANSACTION, body);
  }

  /** A record of one frame, and one of several. */
  @ParameterizedTest
  @ValueSource(ints = {100_000, 3_000_000})
  void aPieceEndsBeforeALargeRecordThatHasNoPermits(int bytes) throws InterruptedException {
    commit(1);
    commitLarge(2, bytes);
    commit(3);
    JournalHistory history = after(0);
    stable.set(VectorClock.of(3));
    LargeReads reads = new LargeReads(HeapPermits.WATCHES);
    HeapPermits.Permits all = HeapPermits.WATCHES.acquire(Long.MAX_VALUE);
    try {
      check(history.read(100, reads), 1, false, 1L);
      check(history.read(100, reads), 1, false);
      assertThat(reads.await(System.nanoTime())).isFalse();
    } finally {
      all.close();
    }

    assertThat(reads.await(System.nanoTime())).isTrue();
    check(history.read(1, reads), 2, false, 2L);
    reads.close();
    HeapPermits.Permits again = HeapPermits.WATCHES.acquire(Long.MAX_VALUE);
    try {
      check(history.read(100, reads), 3, true, 3L);
    } finally {
      again.close();
    }
  }

  @Test
  void aPieceThatSkippedACommitIsRepeatedIfALargeRecordHasNoPermits() {
    commit(5);
    prepare(FIRST, 8);
    prepare(SECOND, 12);
    commit(20);
    learn(FIRST, 10);
    commitLarge(21, 100_000);
    JournalHistory history = after(0);
    stable.set(VectorClock.of(11));
    LargeReads reads = new LargeReads(HeapPermits.WATCHES);
    HeapPermits.Permits all = HeapPermits.WATCHES.acquire(Long.MAX_VALUE);
    try {
      check(history.read(100, reads), 0, false);
    } finally {
      all.close();
    }

    check(history.read(100, reads), 11, true, 5L, 10L);
    reads.close();
  }

  @Test
  void aChunkWithEffectsEndsAfterAMebibyteOfThem() {
    for (long time = 1; time <= 5; time++) {
      commitLarge(time, 600_000);
    }

    check(readAt(5, after(VectorClock.ZERO, true), 100), 2, false, 1L, 2L);
    check(readAt(5, after(VectorClock.ZERO, false), 100), 5, true, 1L, 2L, 3L, 4L, 5L);
  }

  @Test
  void rereadsNothingWithoutNewRecords() {
    commit(1);
    commit(2);
    JournalHistory history = after(0);
    check(readAt(2, history, 100), 2, true, 1L, 2L);
    int before = views;

    check(readAt(3, history, 100), 3, true);
    check(readAt(4, history, 100), 4, true);

    assertThat(views).isEqualTo(before);
    commit(5);
    check(readAt(5, history, 100), 5, true, 5L);
  }

  private CommitHistory.Piece readAt(long stableTime, JournalHistory history, int most) {
    stable.set(VectorClock.of(stableTime));
    return history.read(most);
  }

  private static void check(
      CommitHistory.Piece piece, long complete, boolean atEnd, Long... times) {
    assertThat(piece.writes().stream().map(CommittedWrites::time)).containsExactly(times);
    assertThat(piece.complete()).isEqualTo(VectorClock.of(complete));
    assertThat(piece.atEnd()).isEqualTo(atEnd);
  }

  @Test
  void awaitsPreparedTransactionsWhateverIsStableOfOtherDataCentres() {
    commit(5);
    prepare(FIRST, 8);
    JournalHistory history = after(1);
    stable.set(VectorClock.ofEntries(7, 9));
    assertThat(history.read(10).writes()).hasSize(1);
    commit(20);
    learn(FIRST, 10);
    commit(21);
    stable.set(VectorClock.ofEntries(21, 9));

    assertThat(history.read(1).complete()).isEqualTo(VectorClock.ofEntries(7, 9));
    assertThat(history.read(10).writes().stream().map(CommittedWrites::time))
        .containsExactly(10L, 21L);
  }

  private static List<Long> timesOf(CommitHistory.Piece piece) {
    return piece.writes().stream().map(CommittedWrites::time).toList();
  }

  @Test
  void readsArrivalsAtOnceWhetherVisibleOrNot() {
    commit(5);
    receive(1, VectorClock.ofEntries(0, 0, 30), 40);
    commit(6);
    JournalHistory history = after(0);
    stable.set(VectorClock.ofEntries(6, 40));

    CommitHistory.Piece piece = history.read(10);

    assertThat(timesOf(piece)).containsExactly(5L, 40L, 6L);
    assertThat(piece.complete()).isEqualTo(VectorClock.ofEntries(6, 40));
    assertThat(timesOf(history.read(10))).isEmpty();
  }

  @Test
  void nothingIsCompleteBeforeAPossibleLateCommit() {
    commit(20);
    // The point has later ones of its data centre, but not their dependencies.
    receive(1, VectorClock.ofEntries(15), 40);
    receive(1, VectorClock.ZERO, 50);
    commit(21);
    commit(22);
    JournalHistory history = after(VectorClock.ofEntries(10, 50));
    stable.set(VectorClock.ofEntries(22, 50));

    CommitHistory.Piece first = history.read(1);
    assertThat(timesOf(first)).containsExactly(20L);
    assertThat(first.complete()).isEqualTo(VectorClock.ofEntries(10, 50));
    CommitHistory.Piece second = history.read(1);
    assertThat(timesOf(second)).containsExactly(40L);
    assertThat(second.complete()).isEqualTo(VectorClock.ofEntries(10, 50));
    CommitHistory.Piece third = history.read(1);
    assertThat(timesOf(third)).containsExactly(21L);
    assertThat(third.complete()).isEqualTo(VectorClock.ofEntries(21, 50));
  }

  @Test
  void snapshotsAndRecordsTellTheProgressOfOtherDataCentres() {
    append(RecordKind.TRANSACTION, 0, VectorClock.ofEntries(0, 60), 70, TransactionMetadata.none());
    append(
        RecordKind.REACHED,
        new ReachedRecord(VectorClock.ofEntries(0, 80), VectorClock.ZERO).encode());
    commit(90);
    commit(91);
    JournalHistory history = after(VectorClock.ofEntries(10, 50));
    stable.set(VectorClock.ofEntries(91, 99));

    assertThat(history.read(1).complete()).isEqualTo(VectorClock.ofEntries(70, 60));
    assertThat(history.read(1).complete()).isEqualTo(VectorClock.ofEntries(90, 80));
    assertThat(history.read(5).complete()).isEqualTo(VectorClock.ofEntries(91, 99));
  }

  @Test
  void readsUnstableRecordsLater() {
    for (long time = 1; time <= 4; time++) {
      commit(time);
    }
    JournalHistory history = after(1);

    check(readAt(3, history, 1), 2, false, 2L);
    check(readAt(3, history, 10), 3, true, 3L);
    CommitHistory.Piece last = readAt(4, history, 10);

    check(last, 4, true, 4L);
    assertThat(last.writes().get(0).objects())
        .extracting(CommittedWrites.WrittenObject::id)
        .containsExactly(ID);
  }

  @Test
  void nothingIsCompleteBeforeAPossiblePreparedCommit() {
    commit(5);
    prepare(FIRST, 8);
    commit(20);
    commit(21);
    learn(FIRST, 10);
    commit(30);
    JournalHistory history = after(0);

    check(readAt(30, history, 1), 5, false, 5L);
    check(readAt(30, history, 1), 7, false, 20L);
    check(readAt(30, history, 1), 7, false, 21L);
    check(readAt(30, history, 1), 21, false, 10L);
    check(readAt(30, history, 1), 30, false, 30L);
    check(readAt(30, history, 1), 30, true);
  }

  @Test
  void anAbortedTransactionBlocksNothing() {
    prepare(FIRST, 8);
    commit(20);
    abort(FIRST);
    commit(30);
    commit(31);
    JournalHistory history = after(0);

    check(readAt(31, history, 2), 30, false, 20L, 30L);
  }

  @Test
  void atTheEndEverythingStableIsCompleteEvenIfAnAbortWasLost() {
    prepare(FIRST, 8);
    commit(20);
    JournalHistory history = after(0);

    check(readAt(20, history, 10), 20, true, 20L);
    commit(30);
    commit(31);
    check(readAt(31, history, 1), 30, false, 30L);
  }

  @Test
  void readsStableCommitsBehindUnstableOnesAtOnceAndTheOthersLater() {
    prepare(FIRST, 8);
    commit(20);
    prepare(SECOND, 22);
    learn(FIRST, 10);
    JournalHistory history = after(0);

    check(readAt(7, history, 1), 7, true);
    check(readAt(12, history, 1), 12, true, 10L);
    learn(SECOND, 25);
    commit(26);
    check(readAt(26, history, 1), 20, false, 20L);
    check(readAt(26, history, 1), 25, false, 25L);
    check(readAt(26, history, 1), 26, false, 26L);
  }

  @Test
  void noChunkEndsBeforeASkippedCommit() {
    prepare(FIRST, 8);
    commit(20);
    learn(FIRST, 19);
    prepare(SECOND, 22);
    JournalHistory history = after(0);

    check(readAt(18, history, 1), 18, true);
    check(readAt(21, history, 1), 20, false, 20L, 19L);
  }
}
