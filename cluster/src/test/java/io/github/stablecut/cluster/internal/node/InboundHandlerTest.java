package io.github.stablecut.cluster.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.internal.handoff.HandoffReceiver;
import io.github.stablecut.cluster.internal.handoff.HandoffSender;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.remote.Inbound;
import io.github.stablecut.cluster.internal.remote.NodePartitions;
import io.github.stablecut.cluster.internal.remote.Nowhere;
import io.github.stablecut.cluster.internal.remote.OutboundFragments;
import io.github.stablecut.cluster.internal.remote.PendingRequests;
import io.github.stablecut.cluster.internal.remote.ReplySender;
import io.github.stablecut.cluster.internal.remote.RequestGate;
import io.github.stablecut.cluster.internal.remote.TrafficBudgets;
import io.github.stablecut.cluster.internal.wire.Fragment;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.ReplyCodec;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PlanChange;
import io.github.stablecut.internal.replica.LogRecord;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every incoming message is answered, and its memory released. */
class InboundHandlerTest {
  private static final StoreOptions OPTIONS = StoreOptions.defaults();
  private static final String ADDRESS = "127.0.0.1:1";

  @TempDir private Path directory;

  private final List<NodeMessage> sent = new ArrayList<>();

  private final NodeRef requester =
      new NodeRef() {
        @Override
        public void tell(NodeMessage message) {
          sent.add(message);
        }

        @Override
        public Optional<String> address() {
          return Optional.of("127.0.0.1:2");
        }
      };

  private final NodeClock clock =
      new NodeClock(EmbeddedStore.clock(OPTIONS), NodeSettings.DEFAULT_CLOCK_DRIFT);
  private final TrafficBudgets traffic = TrafficBudgets.of("n1", 1 << 20);
  private final OutboundFragments fragments = new OutboundFragments(System::nanoTime);
  private final ReplySender replies =
      new ReplySender(ADDRESS, clock, traffic.answersOut(), fragments, Duration.ofSeconds(1));

  private NodeSettings settings() {
    return new NodeSettings(
        "n1",
        directory,
        OPTIONS,
        new NodeSettings.Endpoint("127.0.0.1", 1, Optional.empty()),
        new NodeSettings.Formation(List.of(), 1),
        NodeSettings.MoveLimits.DEFAULT);
  }

  private Inbound inbound(NodePartitions partitions, PendingRequests requests) {
    InboundHandler handler =
        new InboundHandler(
            partitions,
            requests,
            new HandoffSender(partitions, Runnable::run, Runnable::run, Duration.ofSeconds(1)),
            new HandoffReceiver(partitions, requests, settings(), Runnable::run),
            clock,
            replies,
            new RequestGate(partitions.server(), clock, replies, new MembershipView()),
            fragments,
            request -> new Reply.Done(),
            replicas -> {});
    return new Inbound(ADDRESS, handler, clock, replies, traffic);
  }

  private NodeMessage.RequestEnvelope envelope(Request request) {
    return new NodeMessage.RequestEnvelope(
        0, 0, 1, clock.now(), requester, new Fragment(0, RequestCodec.encode(request)));
  }

  /** Otherwise Akka's actor of the node would end. */
  @Test
  void answersRequestsThatNoThreadTakes() {
    NodePartitions partitions = NodePartitions.open(settings(), clock);
    Inbound inbound = inbound(partitions, Nowhere.requests(new MembershipView()));
    partitions.close();

    inbound.request(envelope(new Request.BalanceLeaders()));

    assertThat(sent).hasSize(1);
    Reply reply =
        ReplyCodec.decode(
            ((NodeMessage.ReplyEnvelope) sent.get(0)).reply().bytes(), Long.MAX_VALUE);
    assertThat(reply).isInstanceOf(Reply.Failed.class);
  }

  private static Request toReplica(ReplicaMessage message) {
    return new Request.ToReplica("n2", "n1", message);
  }

  private static Request group() {
    List<LogRecord> records = List.of(new LogRecord((byte) 1, new byte[100_000]));
    return toReplica(new ReplicaMessage.Group(1, 1, 0, 1, records, 1));
  }

  @Test
  void aMessageHoldsItsMemoryUntilTheReplicaHasHandledIt() throws Exception {
    CountDownLatch isAnswering = new CountDownLatch(1);
    CountDownLatch mayAnswer = new CountDownLatch(1);
    MembershipView view = new MembershipView();
    view.publish(List.of(), Map.of("n2", "127.0.0.1:2"), List.of());
    PendingRequests requests =
        new PendingRequests(
            view,
            new BlockingReplies(isAnswering, mayAnswer),
            traffic.requestsOut(),
            Runnable::run,
            Duration.ofSeconds(1));
    NodePlan plan = new NodePlan(7, "n1", List.of("n1"), true);
    try (NodePartitions partitions = NodePartitions.open(settings(), clock)) {
      Inbound inbound = inbound(partitions, requests);
      inbound.request(envelope(group()));
      assertThat(traffic.replicaMessagesIn().taken()).as("there are no replicas").isZero();
      partitions.openAll(plan, List.of(), requests, view);
      NodePlan newer =
          plan.withRegister(new PlanChange.Register(1_000, List.of("n1"), List.of("n1")));
      Eventually.holds(
          "the replica answers",
          () -> {
            partitions.update(newer);
            partitions.tick();
            inbound.request(envelope(toReplica(new ReplicaMessage.PreVoteRequest(1, 1))));
            return isAnswering.getCount() == 0;
          });

      inbound.request(envelope(group()));

      long taken = traffic.replicaMessagesIn().taken();
      mayAnswer.countDown();
      assertThat(taken).isGreaterThan(100_000);
      Eventually.holds("it is handled", () -> traffic.replicaMessagesIn().taken() == 0);
    } finally {
      mayAnswer.countDown();
    }
  }

  /** Blocks a replica while it sends its reply. */
  private static final class BlockingReplies extends Nowhere {
    private final CountDownLatch begins;
    private final CountDownLatch ends;

    BlockingReplies(CountDownLatch begins, CountDownLatch ends) {
      this.begins = begins;
      this.ends = ends;
    }

    @Override
    public void sendTo(
        String address,
        int partition,
        long epoch,
        long number,
        Bytes request,
        Consumer<Boolean> done) {
      begins.countDown();
      try {
        ends.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      super.sendTo(address, partition, epoch, number, request, done);
    }
  }
}
