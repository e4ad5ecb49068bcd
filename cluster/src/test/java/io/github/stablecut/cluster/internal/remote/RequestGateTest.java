package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.wire.Fragment;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.ReplyCodec;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Every request gets one reply, whatever its sender's clock says. */
class RequestGateTest {
  private static final StoreOptions OPTIONS = StoreOptions.defaults();

  private final NodeClock clock =
      new NodeClock(EmbeddedStore.clock(OPTIONS), NodeSettings.DEFAULT_CLOCK_DRIFT);
  private final List<Reply> replies = new ArrayList<>();
  private final AtomicInteger done = new AtomicInteger();
  private final NodeRef sender =
      new NodeRef() {
        @Override
        public void tell(NodeMessage message) {
          replies.add(
              ReplyCodec.decode(
                  ((NodeMessage.ReplyEnvelope) message).reply().bytes(), Long.MAX_VALUE));
        }

        @Override
        public Optional<String> address() {
          return Optional.of("127.0.0.1:2");
        }
      };
  private final RequestGate gate =
      new RequestGate(
          TestOwner.server(OPTIONS, EmbeddedStore.activeSnapshots(OPTIONS)),
          clock,
          new ReplySender(
              "127.0.0.1:1",
              clock,
              TrafficBudgets.shared("n1", 1 << 20).answersOut(),
              new OutboundFragments(System::nanoTime),
              Duration.ofMillis(1)),
          new MembershipView());

  private NodeMessage.RequestEnvelope request(Duration ahead) {
    long millis = Timestamp.epochMillis(clock.now()) + ahead.toMillis();
    return new NodeMessage.RequestEnvelope(
        0,
        1,
        2,
        Timestamp.of(Timestamp.countAt(millis), 0),
        sender,
        new Fragment(0, RequestCodec.encode(new Request.Present())));
  }

  /** Delivers a request as a link does. */
  private void deliver(NodeMessage.RequestEnvelope request) {
    if (!gate.answerAtOnce(request)) {
      gate.answer(request, done::incrementAndGet);
    }
  }

  @Test
  void refusesAClockTooFarAheadOnce() {
    deliver(request(Duration.ofHours(1)));

    assertThat(replies).singleElement().isInstanceOf(Reply.Failed.class);
    assertThat(clock.refused()).isEqualTo(1);
    assertThat(done).hasValue(0);
  }

  @Test
  void refusesAClockTooFarAheadOnceThroughAkka() {
    gate.answer(request(Duration.ofHours(1)), done::incrementAndGet);

    assertThat(replies).singleElement().isInstanceOf(Reply.Failed.class);
    assertThat(clock.refused()).isEqualTo(1);
    assertThat(done).hasValue(1);
  }

  @Test
  void answersDelayedRequestsOnce() {
    deliver(request(Duration.ofSeconds(1)));

    assertThat(replies).singleElement().isInstanceOf(Reply.Stale.class);
    assertThat(clock.refused()).isZero();
    assertThat(done).hasValue(1);
  }
}
