package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.ReplyCodec;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Without memory for a reply, the sender asks the requester to retry if a retry can't execute
 * twice.
 */
class ReplySenderTest {
  private static final long LIMIT = 1 << 20;
  private static final String REQUESTER = "127.0.0.1:2";
  private static final Bytes ANSWERS = Bytes.wrap(new byte[8_192]);

  private final List<NodeMessage> sent = new ArrayList<>();
  private final TrafficBudget budget = TrafficBudgets.shared("n1", LIMIT).answersOut();
  private final OutboundFragments fragments = new OutboundFragments(System::nanoTime);
  private final ReplySender sender =
      new ReplySender(
          "127.0.0.1:1",
          new NodeClock(
              EmbeddedStore.clock(StoreOptions.defaults()), NodeSettings.DEFAULT_CLOCK_DRIFT),
          budget,
          fragments,
          Duration.ofMillis(1));
  private final NodeRef requester =
      new NodeRef() {
        @Override
        public void tell(NodeMessage message) {
          sent.add(message);
        }

        @Override
        public Optional<String> address() {
          return Optional.of(REQUESTER);
        }
      };

  private Reply reply(Reply reply) {
    sent.clear();
    sender.connect(requester);
    sender.send(requester, 1, reply);
    fragments.acknowledged(REQUESTER, LIMIT);
    assertThat(sent).hasSize(1);
    return ReplyCodec.decode(
        ((NodeMessage.ReplyEnvelope) sent.get(0)).reply().bytes(), Long.MAX_VALUE);
  }

  @Test
  void sendsRepliesToWritesRegardlessOfMemory() {
    TrafficBudget.Reservation all = budget.take(LIMIT);
    try (all) {
      Reply written = new Reply.ConditionalOutcome(true, VectorClock.of(1), ANSWERS);
      assertThat(reply(written)).isEqualTo(written);
      assertThat(reply(new Reply.ConditionalOutcome(false, VectorClock.of(1), ANSWERS)))
          .isInstanceOf(Reply.Busy.class);
    }
    assertThat(reply(new Reply.ConditionalOutcome(false, VectorClock.of(1), ANSWERS)))
        .isInstanceOf(Reply.ConditionalOutcome.class);
    assertThat(budget.tryTake(LIMIT)).isPresent();
  }
}
