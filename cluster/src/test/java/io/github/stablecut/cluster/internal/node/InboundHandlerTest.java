package io.github.stablecut.cluster.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.internal.handoff.HandoffReceiver;
import io.github.stablecut.cluster.internal.handoff.HandoffSender;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.remote.LargeMessages;
import io.github.stablecut.cluster.internal.remote.NodePartitions;
import io.github.stablecut.cluster.internal.remote.Nowhere;
import io.github.stablecut.cluster.internal.remote.PendingRequests;
import io.github.stablecut.cluster.internal.remote.ReceivedWrites;
import io.github.stablecut.cluster.internal.remote.Replies;
import io.github.stablecut.cluster.internal.remote.ReplySender;
import io.github.stablecut.cluster.internal.remote.RequestEnvelope;
import io.github.stablecut.cluster.internal.remote.RequestGate;
import io.github.stablecut.cluster.internal.remote.TrafficBudgets;
import io.github.stablecut.cluster.internal.wire.Reply;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every incoming message is answered, and its memory released. */
class InboundHandlerTest {
  private static final StoreOptions OPTIONS = StoreOptions.defaults();

  @TempDir private Path directory;

  private final Replies requester = new Replies();
  private final NodeClock clock =
      new NodeClock(EmbeddedStore.clock(OPTIONS), NodeSettings.DEFAULT_CLOCK_DRIFT);
  private final TrafficBudgets traffic = TrafficBudgets.of("n1", 1 << 20);
  private final ReplySender replies =
      new ReplySender(clock, traffic.answersOut(), Duration.ofSeconds(1));

  private NodeSettings settings() {
    return new NodeSettings(
        "n1",
        directory,
        OPTIONS,
        new NodeSettings.Endpoint("127.0.0.1", 1, Optional.empty()),
        new NodeSettings.Formation(List.of(), 1),
        NodeSettings.MoveLimits.DEFAULT);
  }

  private InboundHandler inbound(NodePartitions partitions, PendingRequests requests) {
    return new InboundHandler(
        partitions,
        requests,
        new HandoffSender(partitions, Runnable::run, Runnable::run, Duration.ofSeconds(1)),
        new HandoffReceiver(partitions, requests, settings(), Runnable::run),
        clock,
        replies,
        new RequestGate(
            partitions.server(), clock, replies, new ReceivedWrites(replies), new MembershipView()),
        new LargeMessages(replies, requests, traffic, System::nanoTime),
        request -> new Reply.Done(),
        replicas -> {});
  }

  private RequestEnvelope envelope(Request request) {
    return new RequestEnvelope(0, 0, 1, clock.now(), requester, RequestCodec.encode(request));
  }

  /** Receives a large message, as a link does. */
  private static void receive(InboundHandler inbound, RequestEnvelope request) {
    LargeMessages.Incoming message = inbound.large().request(request);
    assertThat(message.add(request.request())).isTrue();
    inbound.onRequest(request, message::release);
  }

  /** Otherwise the link would end. */
  @Test
  void answersRequestsThatNoThreadTakes() {
    NodePartitions partitions = NodePartitions.open(settings(), clock);
    InboundHandler inbound = inbound(partitions, Nowhere.requests(new MembershipView()));
    partitions.close();

    inbound.onRequest(envelope(new Request.BalanceLeaders()), () -> {});

    assertThat(requester.all()).singleElement().isInstanceOf(Reply.Failed.class);
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
        Nowhere.requests(
            view,
            new BlockingReplies(isAnswering, mayAnswer),
            traffic.requestsOut(),
            Runnable::run,
            Duration.ofSeconds(1));
    NodePlan plan = new NodePlan(7, "n1", List.of("n1"), true);
    try (NodePartitions partitions = NodePartitions.open(settings(), clock)) {
      InboundHandler inbound = inbound(partitions, requests);
      receive(inbound, envelope(group()));
      assertThat(traffic.replicaMessagesIn().taken()).as("there are no replicas").isZero();
      partitions.openAll(plan, List.of(), requests, view);
      NodePlan newer =
          plan.withRegister(new PlanChange.Register(1_000, List.of("n1"), List.of("n1")));
      Eventually.holds(
          "the replica answers",
          () -> {
            partitions.update(newer);
            partitions.tick();
            Bytes vote = RequestCodec.encode(toReplica(new ReplicaMessage.PreVoteRequest(1, 1)));
            inbound.onMessage(0, clock.now(), vote);
            return isAnswering.getCount() == 0;
          });

      receive(inbound, envelope(group()));

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
    public void tell(String node, int partition, Bytes message) {
      begins.countDown();
      try {
        ends.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
