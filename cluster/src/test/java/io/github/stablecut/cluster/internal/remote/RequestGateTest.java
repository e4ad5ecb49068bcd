package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Every request gets one reply, whatever its sender's clock says. */
class RequestGateTest {
  private static final StoreOptions OPTIONS = StoreOptions.defaults();
  private static final Request READ =
      new Request.Read(Bytes.utf8("k"), Bytes.EMPTY, VectorClock.ZERO);
  private static final Request WRITE = new Request.Execute(VectorClock.ZERO, Bytes.EMPTY);

  private final NodeClock clock =
      new NodeClock(EmbeddedStore.clock(OPTIONS), NodeSettings.DEFAULT_CLOCK_DRIFT);
  private final AtomicInteger done = new AtomicInteger();
  private final Replies sender = new Replies();
  private final ReplySender replies =
      new ReplySender(
          clock, TrafficBudgets.shared("n1", 1 << 20).answersOut(), Duration.ofMillis(1));
  private final RequestGate gate =
      new RequestGate(
          TestOwner.server(OPTIONS, EmbeddedStore.activeSnapshots(OPTIONS)),
          clock,
          replies,
          new ReceivedWrites(replies),
          new MembershipView());

  private RequestEnvelope request(Duration ahead, Request request) {
    long millis = Timestamp.epochMillis(clock.now()) + ahead.toMillis();
    return new RequestEnvelope(
        0, 1, 2, Timestamp.of(Timestamp.countAt(millis), 0), sender, RequestCodec.encode(request));
  }

  /** Delivers a request as an event loop does. */
  private void deliver(RequestEnvelope request) {
    if (!gate.answerAtOnce(request)) {
      gate.answer(request, done::incrementAndGet);
    }
  }

  @Test
  void refusesAClockTooFarAheadOnce() {
    for (Request request : List.of(new Request.Present(), READ, WRITE)) {
      deliver(request(Duration.ofHours(1), request));
    }

    assertThat(sender.all()).hasSize(3).allMatch(Reply.Failed.class::isInstance);
    assertThat(clock.refused()).isEqualTo(3);
    assertThat(done).as("a read is refused at once").hasValue(2);
  }

  @Test
  void aRepeatedWriteGetsTheFirstReplyWhateverTheClockSays() {
    deliver(request(Duration.ZERO, WRITE));
    deliver(request(Duration.ofHours(1), WRITE));

    assertThat(sender.all()).hasSize(2).allMatch(Reply.Stale.class::isInstance);
    assertThat(done).hasValue(2);
  }

  @Test
  void answersDelayedRequestsOnce() {
    deliver(request(Duration.ofSeconds(1), new Request.Present()));

    assertThat(sender.all()).singleElement().isInstanceOf(Reply.Stale.class);
    assertThat(clock.refused()).isZero();
    assertThat(done).hasValue(1);
  }
}
