package io.github.stablecut.internal.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.journal.LogReplicas;
import io.github.stablecut.journal.PendingRecord;
import io.github.stablecut.journal.testing.LossySegments;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Answers of a possibly deposed leader about transactions that it does not know. */
final class DeposedLeaderTest {
  private static final int NUMBER = 1;
  private static final int OTHER = 2;
  private static final long EPOCH = 5;

  private final CompletableFuture<Boolean> stillLeads = new CompletableFuture<>();
  private final GeneratedPartition partition =
      new GeneratedPartition(new Random(1), LocalDataCentre.FIRST, new LossySegments(), EPOCH);

  DeposedLeaderTest() {
    partition.committer().journal().setReplicas(new FakeReplicas());
  }

  private final class FakeReplicas implements LogReplicas {
    @Override
    public void send(long first, List<PendingRecord> group) {}

    @Override
    public void await(long next) {}

    @Override
    public CompletionStage<Boolean> confirm() {
      return stillLeads;
    }

    @Override
    public long oldestNeeded() {
      return Long.MAX_VALUE;
    }

    @Override
    public boolean mayLackRoom() {

      return false;
    }

    @Override
    public void checkRoom() {}

    @Override
    public int largestRecord() {
      return Integer.MAX_VALUE;
    }
  }

  @Test
  void doesNotReportATransactionOfALaterLeaderAsAborted() {
    partition.receive(new Message.Query(new TransactionId(NUMBER, EPOCH + 1, 1), OTHER));
    stillLeads.complete(true);

    assertThat(partition.sent()).isEmpty();
  }

  @Test
  void anIncumbentReportsAnUnknownTransactionAsAborted() {
    TransactionId id = new TransactionId(NUMBER, EPOCH, 1);
    partition.receive(new Message.Query(id, OTHER));
    assertThat(partition.sent()).isEmpty();

    stillLeads.complete(true);
    assertThat(partition.sent()).containsExactly(new Message.Abort(id));
  }

  @Test
  void aDeposedLeaderDoesNotReportATransactionAsAborted() {
    partition.receive(new Message.Query(new TransactionId(NUMBER, EPOCH, 1), OTHER));
    stillLeads.complete(false);

    assertThat(partition.sent()).isEmpty();
  }

  @Test
  void anIncumbentAcknowledgesTheCommitOfAnUnpreparedTransaction() {
    TransactionId id = new TransactionId(OTHER, 7, 1);
    partition.receive(new Message.Commit(id, 1));
    assertThat(partition.sent()).isEmpty();

    stillLeads.complete(true);
    assertThat(partition.sent()).containsExactly(new Message.Acknowledge(id, NUMBER));
  }

  @Test
  void doesNotAcknowledgeTheCommitOfATransactionThatALaterLeaderPrepared() {
    partition.receive(new Message.Commit(new TransactionId(OTHER, 7, 1), 1));
    stillLeads.complete(false);

    assertThat(partition.sent()).isEmpty();
  }

  /**
   * A coordinator may report an abort after forgetting a commit that a later leader has
   * acknowledged.
   */
  @Test
  void aDeposedLeaderDoesNotBelieveAnAbort() {
    TransactionId id = partition.prepare();
    partition.flush();
    VectorClock stable = partition.committer().times().stable();
    partition.receive(new Message.Abort(id));
    assertThat(partition.state().prepared().inDoubt()).containsExactly(id);

    stillLeads.complete(false);

    assertThat(partition.state().prepared().inDoubt()).containsExactly(id);
    assertThat(partition.committer().times().stable()).isEqualTo(stable);
  }

  @Test
  void anIncumbentBelievesAnAbort() {
    TransactionId id = partition.prepare();
    partition.flush();
    partition.receive(new Message.Abort(id));

    stillLeads.complete(true);

    assertThat(partition.state().prepared().inDoubt()).isEmpty();
  }
}
