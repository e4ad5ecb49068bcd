package io.github.stablecut.internal.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.PnCounter;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.internal.materializer.Folding;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.TransactionFacts;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.journal.GroupListener;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalFailedException;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.journal.LossySegments;
import io.github.stablecut.journal.PendingRecord;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What is read back of a journal. */
final class JournalHistoryTest {
  private static final Bytes ID = Bytes.utf8("id");

  private final AtomicReference<VectorClock> stable = new AtomicReference<>(VectorClock.ZERO);

  /** Nobody waits for records here. */
  private static final class Nobody implements GroupListener {
    @Override
    public void committed(List<PendingRecord> group) {}

    @Override
    public void failed(List<PendingRecord> group, JournalFailedException failure) {}
  }

  private static void commit(Journal journal, long time) {
    OperationContext context = new OperationContext(0, VectorClock.ZERO, new SelfDots());
    Object effect =
        Folding.downstream(PnCounter.TYPE, new PnCounter.Add(1), PnCounter.TYPE.initial(), context);
    byte[] encoded = Folding.encodeEffect(PnCounter.TYPE, effect);
    byte[] body =
        TransactionRecord.encode(
            0,
            VectorClock.ZERO,
            VectorClock.ZERO,
            TransactionFacts.NONE,
            List.of(new TransactionRecord.Entry(ID, List.of(encoded))));
    TransactionRecord.setCommitTime(body, time);
    journal.append(new PendingRecord(RecordKind.TRANSACTION, body, body.length));
    journal.commitGroup();
  }

  @Test
  void whatIsInTheJournalAndNotYetStableIsReadLater() {
    JournalOptions options = JournalOptions.named("test").withReserveBytes(0);
    try (Journal journal = Journal.open(new LossySegments(), options, new Nobody(), stored -> {})) {
      for (long time = 1; time <= 4; time++) {
        commit(journal, time);
      }
      JournalHistory history =
          new JournalHistory(
              new JournalHistory.Parts(journal, stable::get, after -> {}),
              VectorClock.of(1),
              IdRange.all(),
              0);

      stable.set(VectorClock.of(3));
      CommitHistory.Piece first = history.read(1);
      CommitHistory.Piece second = history.read(10);
      stable.set(VectorClock.of(4));
      CommitHistory.Piece third = history.read(10);

      assertThat(first.writes().stream().map(CommittedWrites::time)).containsExactly(2L);
      assertThat(first.complete()).isEqualTo(VectorClock.of(2));
      assertThat(first.atEnd()).isFalse();
      assertThat(second.writes().stream().map(CommittedWrites::time)).containsExactly(3L);
      assertThat(second.complete()).isEqualTo(VectorClock.of(3));
      assertThat(second.atEnd()).isTrue();
      assertThat(third.writes().stream().map(CommittedWrites::time)).containsExactly(4L);
      assertThat(third.writes().get(0).objects()).containsOnlyKeys(ID);
      assertThat(third.atEnd()).isTrue();
    }
  }
}
