package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.wire.BadMessageException;
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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Large messages are assembled in bounded memory, which requests, replies and messages to replicas
 * do not share; timestamps of all messages are checked against their sender's clock.
 */
class LargeMessagesTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final long NEAR = in(Duration.ofSeconds(50));
  private static final long FAR = in(Duration.ofHours(1));
  private static final int CHUNK = 64 << 10;

  private final NodeClock clock =
      new NodeClock(
          EmbeddedStore.clock(StoreOptions.defaults().withClock(() -> NOW)),
          NodeSettings.DEFAULT_CLOCK_DRIFT);
  private final TrafficBudgets traffic = TrafficBudgets.shared("n1", 1 << 20);
  private final MembershipView view = new MembershipView();
  private final List<Long> numbers = new ArrayList<>();
  private final PendingRequests requests =
      Nowhere.requests(
          view, new Numbers(numbers), traffic.requestsOut(), Runnable::run, Duration.ofSeconds(5));
  private final Replies sender = new Replies();
  private final AtomicLong nanos = new AtomicLong();
  private final LargeMessages large =
      new LargeMessages(
          new ReplySender(clock, traffic.answersOut(), Duration.ofSeconds(1)),
          requests,
          traffic,
          nanos::get);

  private static long in(Duration ahead) {
    return Timestamp.of(Timestamp.countAt(NOW.plus(ahead).toEpochMilli()), 0);
  }

  @BeforeEach
  void publish() {
    view.publish(
        List.of(new MembershipView.Owner(0, "n2", "127.0.0.1:2", 1, true, 0)),
        Map.of("n2", "127.0.0.1:2"),
        List.of());
  }

  /** Records the numbers of requests. */
  private static final class Numbers extends Nowhere {
    private final List<Long> numbers;

    Numbers(List<Long> numbers) {
      this.numbers = numbers;
    }

    @Override
    public void send(
        String node,
        int partition,
        long epoch,
        long number,
        Bytes request,
        Consumer<Boolean> done) {
      done.accept(true);
      numbers.add(number);
    }
  }

  private LargeMessages.Incoming begin(int partition, Bytes request) {
    return large.request(
        new RequestEnvelope(partition, 0, partition, clock.now(), sender, request));
  }

  /** Delivers all chunks of a message; empty if it is dropped. */
  private Optional<LargeMessages.Incoming> deliver(int partition, Request request) {
    Bytes all = RequestCodec.encode(request);
    LargeMessages.Incoming message = begin(partition, all);
    for (int offset = 0; offset < all.length(); offset += CHUNK) {
      if (!message.add(all.slice(offset, Math.min(all.length(), offset + CHUNK)))) {
        return Optional.empty();
      }
    }
    assertThat(message.finish()).isEqualTo(all);
    return Optional.of(message);
  }

  private static Request group(int bytes) {
    List<LogRecord> records = List.of(new LogRecord((byte) 1, new byte[bytes]));
    return new Request.ToReplica("n2", "n1", new ReplicaMessage.Group(1, 1, 0, 1, records, 1));
  }

  private static Request request(int bytes) {
    return new Request.Latest(VectorClock.ZERO, List.of(Bytes.wrap(new byte[bytes])));
  }

  @Test
  void messagesToReplicasUseNoRequestMemory() {
    TrafficBudget.Reservation all = traffic.requestsIn().take(2 << 20);

    LargeMessages.Incoming group = deliver(1, group(300_000)).orElseThrow();
    assertThat(deliver(2, request(300_000))).isEmpty();

    assertThat(sender.all()).singleElement().isInstanceOf(Reply.Busy.class);
    assertThat(traffic.replicaMessagesIn().taken()).isBetween(300_000L, 301_000L);
    assertThat(traffic.requestsIn().taken()).isEqualTo(2 << 20);
    group.release();
    group.release();
    assertThat(traffic.replicaMessagesIn().taken()).isZero();
    all.close();
  }

  @Test
  void aDroppedMessageOfAReplicaPassesAtTheNextAttemptWhateverItsSize() {
    TrafficBudget.Reservation all =
        traffic.replicaMessagesIn().take(TrafficBudgets.replicaMessageBytes());
    assertThat(deliver(1, group(300_000))).isEmpty();
    assertThat(deliver(2, group(300_000))).isEmpty();

    assertThat(deliver(2, group(300_000))).as("it is not next").isEmpty();
    LargeMessages.Incoming first = deliver(1, group(300_000)).orElseThrow();
    assertThat(deliver(2, group(300_000))).as("the first is still there").isEmpty();
    first.release();
    assertThat(deliver(2, group(300_000))).isPresent();
    all.close();
  }

  @Test
  void theTurnOfABrokenMessageIsFreeAgain() {
    TrafficBudget.Reservation all =
        traffic.replicaMessagesIn().take(TrafficBudgets.replicaMessageBytes());
    assertThat(deliver(1, group(300_000))).isEmpty();
    LargeMessages.Incoming broken = begin(1, RequestCodec.encode(group(300_000)));
    assertThat(broken.add(Bytes.wrap(new byte[CHUNK]))).isTrue();
    broken.drop();

    assertThat(deliver(1, group(300_000))).isPresent();
    all.close();
  }

  @Test
  void repliesThatAreNotAwaitedAreSkipped() {
    assertThat(large.reply(17).add(Bytes.wrap(new byte[CHUNK]))).isFalse();

    assertThat(traffic.answersIn().taken()).isZero();
  }

  @Test
  void aReplyWithoutMemoryHasItsReadRepeatedButNoWrite() {
    TrafficBudget.Reservation all = traffic.answersIn().take(2 << 20);
    CompletableFuture<Reply> read = requests.ask(0, new Request.Present(), Duration.ofHours(1));
    CompletableFuture<Reply> write =
        requests.ask(0, new Request.Execute(VectorClock.ZERO, Bytes.EMPTY), Duration.ofHours(1));

    assertThat(large.reply(numbers.get(0)).add(Bytes.wrap(new byte[CHUNK]))).isFalse();
    LargeMessages.Incoming reply = large.reply(numbers.get(1));
    assertThat(reply.add(Bytes.wrap(new byte[CHUNK]))).isTrue();
    assertThat(reply.add(Bytes.wrap(new byte[CHUNK]))).isTrue();

    assertThat(reply.finish()).isEqualTo(Bytes.wrap(new byte[2 * CHUNK]));
    reply.release();
    assertThat(traffic.answersIn().taken()).isEqualTo(2 << 20);
    requests.connected("n2");
    assertThat(numbers).as("the read is repeated").hasSize(3);
    assertThat(List.of(read, write)).noneMatch(CompletableFuture::isDone);
    all.close();
  }

  @Test
  void aRefusedReplyLeavesTheOutcomeUnknown() {
    CompletableFuture<Reply> read = requests.ask(0, new Request.Present(), Duration.ofHours(1));
    CompletableFuture<Reply> write =
        requests.ask(0, new Request.Commit(emptyCommit()), Duration.ofHours(1));

    numbers.forEach(number -> requests.reject(number, "has answered, but its clock is wrong"));

    assertThatThrownBy(read::join).hasMessageContaining("its clock is wrong");
    assertThatThrownBy(write::join)
        .hasMessageContaining("find out whether")
        .hasMessageContaining("its clock is wrong");
  }

  private static CommitRequest emptyCommit() {
    return CommitRequest.of(
        new CommitRequest.Part(0, VectorClock.ZERO, VectorClock.ZERO, List.of(), Set.of()),
        TransactionMetadata.none());
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
