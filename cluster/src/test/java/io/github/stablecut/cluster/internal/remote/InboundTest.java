package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.wire.BadMessageException;
import io.github.stablecut.cluster.internal.wire.Fragment;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.ReplyCodec;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.cluster.internal.wire.TransactionMessageCodec;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.replica.LogRecord;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Timestamps from other nodes are checked against the maximal drift before the clock observes them.
 */
class InboundTest {
  private static final String ADDRESS = "127.0.0.1:1";
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final long NEAR = in(Duration.ofSeconds(50));
  private static final long FAR = in(Duration.ofHours(1));
  private static final Fragment PART = new Fragment(0, Bytes.utf8("an answer"));

  private final NodeClock clock =
      new NodeClock(
          EmbeddedStore.clock(StoreOptions.defaults().withClock(() -> NOW)),
          NodeSettings.DEFAULT_CLOCK_DRIFT);
  private final List<String> events = new ArrayList<>();
  private final List<TrafficBudget.Reservation> reservations = new ArrayList<>();
  private final TrafficBudgets traffic = TrafficBudgets.shared("n1", 1 << 20);
  private final Inbound inbound =
      new Inbound(
          ADDRESS,
          new RecordingHandler(),
          clock,
          new ReplySender(
              ADDRESS,
              clock,
              traffic.answersOut(),
              new OutboundFragments(System::nanoTime),
              Duration.ofSeconds(1)),
          traffic);

  private static long in(Duration ahead) {
    return Timestamp.of(Timestamp.countAt(NOW.plus(ahead).toEpochMilli()), 0);
  }

  /** Records the calls of the inbound side. */
  private final class RecordingHandler implements Inbound.Handler {
    @Override
    public PendingRequests.ReplyState awaited(long number) {
      return PendingRequests.ReplyState.RETRYABLE;
    }

    @Override
    public void onReply(
        long number, long sender, Bytes reply, TrafficBudget.Reservation reservation) {
      reservation.close();
      events.add("answered " + number);
    }

    @Override
    public void onRejectedReply(long number, String why) {
      events.add("refused " + number + ": " + why);
    }

    @Override
    public void onDriverReply(long driver, long sender, Bytes answer) {
      events.add("driver " + driver);
    }

    @Override
    public void onRequest(
        NodeMessage.RequestEnvelope envelope, TrafficBudget.Reservation reservation) {
      events.add("requested " + envelope.number());
      reservations.add(reservation);
    }

    @Override
    public void onUnreadReply(long number, String why) {
      throw new AssertionError(why);
    }

    @Override
    public void onAck(String address, long bytes) {
      throw new AssertionError(address);
    }
  }

  @Test
  void observesTheClockOfReplies() {
    inbound.reply(new NodeMessage.ReplyEnvelope(1, NEAR, Optional.empty(), PART));
    inbound.driverReply(new NodeMessage.DriverReply(2, NEAR, Bytes.utf8("an outcome")));

    assertThat(events).containsExactly("answered 1", "driver 2");
    assertThat(clock.now()).isBetween(NEAR, in(Duration.ofSeconds(51)));
  }

  @Test
  void refusesRepliesWithAClockTooFarAhead() {
    inbound.reply(new NodeMessage.ReplyEnvelope(1, FAR, Optional.empty(), PART));
    inbound.driverReply(new NodeMessage.DriverReply(2, FAR, Bytes.utf8("an outcome")));

    assertThat(events).hasSize(1);
    assertThat(events.get(0))
        .contains("refused 1", "2026-01-01T01:00", "2026-01-01T00:00:00Z", "more than 1 minute")
        .contains("cluster.max-clock-drift");
    assertThat(clock.now()).isLessThan(in(Duration.ofSeconds(1)));
    assertThat(clock.refused()).isEqualTo(2);
  }

  @Test
  void aRefusedReplyLeavesTheOutcomeUnknown() {
    MembershipView view = new MembershipView();
    view.publish(
        List.of(new MembershipView.Owner(0, "n2", "127.0.0.1:2", 1, true, 0)),
        Map.of("n2", "127.0.0.1:2"),
        List.of());
    List<Long> numbers = new ArrayList<>();
    PendingRequests requests =
        new PendingRequests(
            view,
            new Numbers(numbers),
            traffic.requestsOut(),
            Runnable::run,
            Duration.ofSeconds(5));
    CompletableFuture<Reply> read = requests.ask(0, new Request.Present(), Duration.ofHours(1));
    CompletableFuture<Reply> write =
        requests.ask(0, new Request.Commit(emptyCommit()), Duration.ofHours(1));

    numbers.forEach(number -> requests.reject(number, "has answered, but its clock is wrong"));

    assertThatThrownBy(read::join).hasMessageContaining("its clock is wrong");
    assertThatThrownBy(write::join)
        .hasMessageContaining("find out whether")
        .hasMessageContaining("its clock is wrong");
  }

  /**
   * Another node, to which acknowledgements of fragments and refusals for lack of memory are sent.
   */
  private static final NodeRef OTHER =
      new NodeRef() {
        @Override
        public void tell(NodeMessage message) {
          // Discarded.
        }

        @Override
        public Optional<String> address() {
          return Optional.of("127.0.0.1:2");
        }
      };

  /** Delivers a request in fragments. */
  private void deliver(long number, Request request) {
    Bytes all = RequestCodec.encode(request);
    int offset = 0;
    for (; all.length() - offset > Fragment.MAX_BYTES; offset += Fragment.MAX_BYTES) {
      inbound.fragment(new NodeMessage.FragmentMessage(0, number, OTHER, Fragment.of(all, offset)));
    }
    inbound.request(
        new NodeMessage.RequestEnvelope(
            0, 0, number, clock.now(), OTHER, Fragment.of(all, offset)));
  }

  private static Request group(int bytes) {
    List<LogRecord> records = List.of(new LogRecord((byte) 1, new byte[bytes]));
    return new Request.ToReplica("n2", "n1", new ReplicaMessage.Group(1, 1, 0, 1, records, 1));
  }

  @Test
  void messagesToReplicasUseNoRequestMemory() {
    TrafficBudget.Reservation requests = traffic.requestsIn().take(2 << 20);
    deliver(1, group(300_000));
    deliver(2, group(100_000));
    deliver(3, new Request.Latest(VectorClock.ZERO, List.of(Bytes.wrap(new byte[300_000]))));
    deliver(4, new Request.Latest(VectorClock.ZERO, List.of(Bytes.wrap(new byte[100_000]))));

    assertThat(events).containsExactly("requested 1", "requested 2");
    assertThat(traffic.replicaMessagesIn().taken()).isBetween(400_000L, 401_000L);
    assertThat(traffic.requestsIn().taken()).isEqualTo(2 << 20);
    reservations.forEach(TrafficBudget.Reservation::close);
    assertThat(traffic.replicaMessagesIn().taken()).isZero();
    requests.close();
  }

  private static CommitRequest emptyCommit() {
    return CommitRequest.of(
        new CommitRequest.Part(0, VectorClock.ZERO, VectorClock.ZERO, List.of(), Set.of()),
        TransactionMetadata.none());
  }

  /** Records the numbers of requests. */
  private record Numbers(List<Long> numbers) implements PendingRequests.Sender {
    @Override
    public void send(int partition, long epoch, long number, Bytes request) {
      numbers.add(number);
    }

    @Override
    public void sendTo(
        String address,
        int partition,
        long epoch,
        long number,
        Bytes request,
        Consumer<Boolean> done) {
      done.accept(true);
      numbers.add(number);
    }

    @Override
    public void forget(long number) {
      // Nothing to forget.
    }
  }

  @Test
  void refusesTimesAboveTheSendersClock() {
    VectorClock far = VectorClock.of(FAR);
    Bytes reply = ReplyCodec.encode(new Reply.Vector(far));
    Bytes request = RequestCodec.encode(new Request.Check(far));
    Bytes answer = TransactionMessageCodec.encode(new Message.Repeated(FAR));

    assertThat(ReplyCodec.decode(reply, FAR)).isEqualTo(new Reply.Vector(far));
    assertThat(RequestCodec.ofNode().decode(request, FAR)).isEqualTo(new Request.Check(far));
    assertThat(TransactionMessageCodec.decode(answer, FAR)).isEqualTo(new Message.Repeated(FAR));
    assertThatThrownBy(() -> ReplyCodec.decode(reply, NEAR))
        .isInstanceOf(BadMessageException.class)
        .hasMessageContaining("is ahead of its sender's clock, 2026-01-01T00:00:50");
    assertThatThrownBy(() -> RequestCodec.ofNode().decode(request, NEAR))
        .isInstanceOf(BadMessageException.class);
    assertThatThrownBy(() -> TransactionMessageCodec.decode(answer, NEAR))
        .isInstanceOf(BadMessageException.class);
  }
}
