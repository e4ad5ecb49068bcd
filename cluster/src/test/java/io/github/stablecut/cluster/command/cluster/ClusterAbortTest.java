package io.github.stablecut.cluster.command.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.command.CommandResult;
import io.github.stablecut.cluster.command.ToolsSchema;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.partition.commit.TransactionPart;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.internal.transaction.routing.PartitionFiles;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An administrator can abort transactions whose coordinator is a lost partition. */
class ClusterAbortTest {
  private static final StoreOptions OPTIONS = StoreOptions.defaults();
  private static final CounterKey KEY = Key.counter("b", "k");
  private static final TransactionId LOST = new TransactionId(0, 3, 7);
  private static final TransactionId OTHER = new TransactionId(2, 3, 8);

  @TempDir private Path directory;

  /** Counts the durable parts. */
  private record Driver(long number, CountDownLatch prepared) implements Message.Driver {
    @Override
    public void tell(Message.ToDriver answer) {
      if (answer instanceof Message.Prepared) {
        prepared.countDown();
      }
    }
  }

  @BeforeEach
  void prepare() throws IOException {
    CountDownLatch prepared = new CountDownLatch(2);
    open(
        partition -> {
          for (TransactionId id : List.of(LOST, OTHER)) {
            TransactionPart part = part(partition.now(), id);
            partition.receive(new Message.Prepare(new Driver(id.sequence(), prepared), part));
          }
          await(prepared);
        });
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Opens the node's partition, number 1. */
  private void open(Consumer<Partition> use) throws IOException {
    try (NodeDirectory node = NodeDirectory.open(directory, "n2")) {
      if (node.plan().isEmpty()) {
        node.form(new NodePlan(5, "n2", List.of("n1", "n2", "n3"), true), List.of());
      }
      long epoch = node.raiseEpoch();
      PartitionContext alone =
          PartitionContext.builder(
                  epoch,
                  EmbeddedStore.clock(OPTIONS),
                  EmbeddedStore.activeSnapshots(OPTIONS),
                  (to, message) -> {})
              .build();
      PartitionFiles files =
          PartitionFiles.in(node.journal(1), node.checkpoints(1), OPTIONS, node.lock());
      try (Partition partition = files.open(OPTIONS, LocalDataCentre.FIRST, 1, alone)) {
        partition.start();
        use.accept(partition);
      }
      node.complete();
    }
  }

  private static TransactionPart part(VectorClock snapshot, TransactionId id) {
    Update update = KEY.increment(1);
    OperationContext context = new OperationContext(0, snapshot, new SelfDots());
    Object effect =
        CallTypes.downstream(KEY.type(), update.operation(), KEY.type().initial(), context);
    CommitRequest.ObjectWrite write =
        new CommitRequest.ObjectWrite(
            KEY.id(),
            KEY.type(),
            List.of(effect),
            List.of(CallTypes.encodeEffect(KEY.type(), effect)));
    return TransactionPart.of(
        new CommitRequest.Part(0, snapshot, VectorClock.ZERO, List.of(write), Set.of()),
        TransactionMetadata.participant(id, List.of()));
  }

  private void assertInDoubt(TransactionId... ids) throws IOException {
    open(partition -> assertThat(partition.inDoubt()).containsExactlyInAnyOrder(ids));
  }

  private CommandResult run(String... more) {
    Object[] all = new Object[more.length + 2];
    all[0] = directory.toString();
    all[1] = "--lost-partition=0";
    System.arraycopy(more, 0, all, 2, more.length);
    return CommandResult.of(ClusterAbort.command(), all);
  }

  @Test
  void listsTransactionsAndTheRiskWithoutConfirmation() throws IOException {
    CommandResult result = run();

    assertThat(result.code()).isZero();
    assertThat(result.out())
        .contains("partition 1: transaction 0-3-7, prepared at ", "writes \"b\"/\"k\"")
        .doesNotContain("2-3-8")
        .contains("Nothing was changed", "applied in part", "--confirm 1");
    assertInDoubt(LOST, OTHER);
  }

  @Test
  void abortsTransactionsIfTheConfirmedNumberMatches() throws IOException {
    assertThat(run("--confirm=2").code()).isEqualTo(1);
    assertInDoubt(LOST, OTHER);

    CommandResult result = run("--confirm=1");

    assertThat(result.code()).isZero();
    assertThat(result.out()).contains("aborted 1 parts of transactions");
    assertInDoubt(OTHER);
    assertThat(run().out()).contains("no transaction of this node waits for partition 0");
  }

  @Test
  void printsJson() throws Exception {
    ToolsSchema schema = ToolsSchema.read();
    CommandResult wrong = run("--confirm=2", "--json");
    assertThat(wrong.code()).isEqualTo(1);
    assertThat(schema.check("cluster abort-in-doubt", wrong).get(0).path("ok").asBoolean())
        .isFalse();
    assertThat(schema.check("cluster abort-in-doubt", run("--json")).get(0).path("aborted").asInt())
        .isZero();
    assertInDoubt(LOST, OTHER);

    CommandResult result = run("--confirm=1", "--json");

    assertThat(result.code()).isZero();
    JsonNode report = schema.check("cluster abort-in-doubt", result).get(0);
    assertThat(report.path("aborted").asInt()).isEqualTo(1);
    assertThat(report.at("/found/0/id").asText()).isEqualTo("0-3-7");
    assertThat(report.at("/found/0/objects/0/key").asText()).isEqualTo("k");
    assertInDoubt(OTHER);
  }

  @Test
  void refusesAPartitionThatTheNodeHasItself() {
    CommandResult result =
        CommandResult.of(ClusterAbort.command(), directory.toString(), "--lost-partition=1");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("contains partition 1: start the node");
  }
}
