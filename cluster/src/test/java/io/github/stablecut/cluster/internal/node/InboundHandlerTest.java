package io.github.stablecut.cluster.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.github.stablecut.cluster.internal.remote.TrafficBudgets;
import io.github.stablecut.cluster.internal.wire.Fragment;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.ReplyCodec;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What comes to a node whose threads take nothing any more. */
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

  /** Akka's actor of the node would end. */
  @Test
  void aRequestThatNoThreadTakesIsAnswered() {
    NodeClock clock = new NodeClock(EmbeddedStore.clock(OPTIONS), NodeSettings.DEFAULT_CLOCK_DRIFT);
    TrafficBudgets traffic = TrafficBudgets.of("n1", 1 << 20);
    OutboundFragments fragments = new OutboundFragments(System::nanoTime);
    ReplySender replies =
        new ReplySender(ADDRESS, clock, traffic.answersOut(), fragments, Duration.ofSeconds(1));
    NodeSettings settings =
        new NodeSettings(
            "n1",
            directory,
            OPTIONS,
            new NodeSettings.Endpoint("127.0.0.1", 1, Optional.empty()),
            new NodeSettings.Forming(List.of(), 1),
            NodeSettings.Moving.DEFAULT);
    NodePartitions partitions = NodePartitions.open(settings, clock);
    PendingRequests requests = Nowhere.requests(new MembershipView());
    InboundHandler handler =
        new InboundHandler(
            partitions,
            requests,
            new HandoffSender(partitions, Runnable::run, Runnable::run, Duration.ofSeconds(1)),
            new HandoffReceiver(partitions, requests, settings, Runnable::run),
            clock,
            replies,
            fragments,
            request -> new Reply.Done(),
            copies -> {});
    partitions.close();

    new Inbound(ADDRESS, handler, clock, replies, traffic)
        .request(
            new NodeMessage.RequestEnvelope(
                0,
                0,
                1,
                clock.now(),
                requester,
                new Fragment(0, RequestCodec.encode(new Request.EvenOut()))));

    assertThat(sent).hasSize(1);
    Reply reply =
        ReplyCodec.decode(
            ((NodeMessage.ReplyEnvelope) sent.get(0)).reply().bytes(), Long.MAX_VALUE);
    assertThat(reply).isInstanceOf(Reply.Failed.class);
  }
}
