package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.replica.LogRecord;
import io.github.stablecut.internal.replica.ReplicaMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Every request ends with a reply or a failure. */
class PendingRequestsTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final PendingRequests requests = Nowhere.requests(view());

  private static MembershipView view() {
    MembershipView view = new MembershipView();
    view.publish(
        List.of(new MembershipView.Owner(0, "n2", "127.0.0.1:2", 1, true, 0)),
        Map.of("n2", "127.0.0.1:2"),
        List.of());
    return view;
  }

  @Test
  void unansweredRequestsFailWhenTheNodeIsClosed() {
    CompletableFuture<Reply> answer = requests.ask(0, new Request.Present(), LONG);
    assertThat(answer).isNotDone();

    requests.close();

    assertThat(answer).isCompletedExceptionally();
  }

  @Test
  void requestsOfAClosedNodeFailAtOnce() {
    requests.close();

    assertThat(requests.ask(0, new Request.Present(), LONG)).isCompletedExceptionally();
    assertThatThrownBy(() -> requests.callNode("n2", 0, new Request.AbortHandoff(1), LONG))
        .isInstanceOf(PartitionUnavailableException.class)
        .hasMessageContaining("this node is closed");
  }

  /** Records the requests that it is sent, and replies only when the test makes it. */
  private static final class Peer extends Nowhere {
    private final List<Long> numbers = new ArrayList<>();
    private final List<Long> forgotten = new ArrayList<>();
    private final List<Bytes> messages = new ArrayList<>();
    private final List<Long> repeated = new ArrayList<>();
    private boolean isConnected = true;

    @Override
    public void repeat(
        String node,
        long run,
        int partition,
        long epoch,
        long number,
        Bytes request,
        Consumer<Boolean> done) {
      if (isConnected) {
        repeated.add(number);
      }
      done.accept(isConnected);
    }

    @Override
    public void tell(String node, int partition, Bytes message) {
      messages.add(message);
    }

    @Override
    public void send(
        String node,
        int partition,
        long epoch,
        long number,
        Bytes request,
        Consumer<Boolean> done) {
      if (isConnected) {
        numbers.add(number);
      }
      done.accept(isConnected);
    }

    @Override
    public void forget(long number) {
      forgotten.add(number);
    }
  }

  private final Peer peer = new Peer();
  private final TrafficBudget budget = new TrafficBudget("requests", 50_000, Long.MAX_VALUE);
  private final MembershipView view = view();
  private final PendingRequests patient =
      Nowhere.requests(view, peer, budget, Runnable::run, Duration.ofSeconds(5));

  private static Request large() {
    return new Request.Latest(VectorClock.ZERO, List.of(Bytes.wrap(new byte[40_000])));
  }

  @Test
  void reportsRequestsForAnAbsentNodeAsNotSent() {
    AtomicInteger done = new AtomicInteger();

    assertThat(
            patient.tellNode("n3", 0, new Request.AbortHandoff(1), budget, done::incrementAndGet))
        .isFalse();

    assertThat(peer.numbers).isEmpty();
    assertThat(
            patient.tellNode("n2", 0, new Request.AbortHandoff(1), budget, done::incrementAndGet))
        .isTrue();
    assertThat(peer.numbers).hasSize(1);
    assertThat(done).hasValue(2);
  }

  @Test
  void forgetsRequestsThatWereAnsweredElsewhere() {
    CompletableFuture<Reply> reply = patient.ask(0, new Request.Present(), LONG);
    assertThat(reply.cancel(false)).isTrue();

    patient.tick();

    assertThat(patient.awaited(peer.numbers.get(0))).isEqualTo(PendingRequests.ReplyState.NO);
  }

  @Test
  void aLargeRequestWaitsForMemory() {
    CompletableFuture<Reply> first = patient.ask(0, large(), LONG);
    CompletableFuture<Reply> second = patient.ask(0, large(), LONG);
    CompletableFuture<Reply> small = patient.ask(0, new Request.Present(), LONG);
    assertThat(peer.numbers).hasSize(2);

    patient.complete(peer.numbers.get(0), new Reply.Done());

    assertThat(first).isCompleted();
    assertThat(peer.numbers).hasSize(3);
    assertThat(peer.forgotten).containsExactly(peer.numbers.get(0));
    patient.complete(peer.numbers.get(1), new Reply.Done());
    patient.complete(peer.numbers.get(2), new Reply.Done());
    assertThat(small).isCompleted();
    assertThat(second).isCompleted();
    assertThat(budget.taken()).isZero();
  }

  private StablecutException failureOfUnread(Request request) {
    CompletableFuture<Reply> answer = patient.ask(0, request, LONG);
    patient.unread(
        peer.numbers.get(peer.numbers.size() - 1), new StoreIoException("injected: unreadable"));
    return ((Reply.Failed) answer.join()).failure();
  }

  @Test
  void anUnreadableReplyLeavesTheOutcomeOfAWriteUnknown() {
    Request write = new Request.Execute(VectorClock.ZERO, Bytes.EMPTY);

    assertThat(failureOfUnread(write))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("injected: unreadable");
    assertThat(failureOfUnread(new Request.Present())).isInstanceOf(StoreIoException.class);
  }

  @Test
  void aWriteDoesNotWaitForADeposedLeader() throws Exception {
    view.recordPlan(true);
    Request write = new Request.Execute(VectorClock.ZERO, Bytes.EMPTY);
    CompletableFuture<Reply> answer = patient.ask(0, write, LONG);
    view.publish(
        List.of(new MembershipView.Owner(0, "n3", "127.0.0.1:3", 2, true, 0)),
        Map.of("n2", "127.0.0.1:2", "n3", "127.0.0.1:3"),
        List.of());

    Eventually.holds(
        "it is no longer pending",
        () -> {
          patient.tick();
          return answer.isDone();
        });

    assertThatThrownBy(answer::join)
        .hasCauseInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("no longer leads it");
    assertThat(peer.numbers).as("nor is it made twice").hasSize(1);
  }

  @Test
  void retriesAtOnceOnlyThePartThatItsReceiverHadNoMemoryFor() {
    Request.Deliver part = DeliveriesTest.delivered(16 << 20);
    patient.tell(0, part);
    patient.tell(0, part);
    assertThat(peer.numbers).as("its receiver may be executing it").hasSize(1);

    patient.complete(peer.numbers.get(0), new Reply.Busy("no memory"));
    patient.tell(0, part);

    assertThat(peer.numbers).hasSize(2);
  }

  @Test
  void retriesPartsThatTheReceiverDroppedAtOnce() {
    Request.Deliver part = DeliveriesTest.delivered(16 << 20);
    patient.tell(0, part);

    patient.complete(peer.numbers.get(0), new Reply.Stale(2));
    patient.tell(0, part);
    assertThat(peer.numbers).as("its receiver does not own the partition").hasSize(2);
    patient.complete(
        peer.numbers.get(1), new Reply.Failed(new PartitionUnavailableException("overloaded")));
    patient.tell(0, part);

    assertThat(peer.numbers).as("its receiver has no thread for it").hasSize(3);
  }

  @Test
  void refusesRequestsThatGetNoMemoryInTime() {
    assertThat(patient.ask(0, large(), LONG)).isNotDone();
    CompletableFuture<Reply> late = patient.ask(0, large(), Duration.ZERO);

    patient.tick();

    assertThatThrownBy(late::join)
        .hasCauseInstanceOf(PartitionUnavailableException.class)
        .hasMessageContaining("no memory for 40,004 bytes: requests take 40,0")
        .hasMessageContaining("of 50,000 bytes; try again");
  }

  @Test
  void doesNotSendRequestsThatFailedWhileAcquiringMemory() {
    List<Runnable> later = new ArrayList<>();
    PendingRequests slow = Nowhere.requests(view, peer, budget, later::add, LONG);
    CompletableFuture<Reply> first = slow.ask(0, large(), LONG);
    CompletableFuture<Reply> late = slow.ask(0, large(), Duration.ZERO);
    slow.complete(peer.numbers.get(0), new Reply.Done());
    assertThat(first).isCompleted();
    assertThat(later).hasSize(1);

    slow.tick();
    later.forEach(Runnable::run);

    assertThatThrownBy(late::join).hasCauseInstanceOf(PartitionUnavailableException.class);
    assertThat(peer.numbers).hasSize(1);
    assertThat(budget.taken()).isZero();
  }

  @Test
  void requestsWaitingForMemoryFailWhenTheOwnerIsLostOrTheNodeIsClosed() {
    assertThat(patient.ask(0, large(), LONG)).isNotDone();
    CompletableFuture<Reply> lost = patient.ask(0, large(), LONG);
    view.publish(
        List.of(new MembershipView.Owner(0, "n2", "127.0.0.1:2", 1, false, 0)),
        Map.of(),
        List.of());

    patient.tick();

    assertThatThrownBy(lost::join).hasMessageContaining("can't be reached");
    view.publish(
        List.of(new MembershipView.Owner(0, "n2", "127.0.0.1:2", 1, true, 0)),
        Map.of("n2", "127.0.0.1:2"),
        List.of());
    CompletableFuture<Reply> first = patient.ask(0, large(), LONG);
    CompletableFuture<Reply> waiting = patient.ask(0, large(), LONG);
    patient.close();
    assertThatThrownBy(waiting::join).hasMessageContaining("this node is closed");
    assertThat(first).isCompletedExceptionally();
    assertThat(budget.taken()).isZero();
  }

  @Test
  void retriesABusyOwnerAndFinallyRefuses() throws Exception {
    CompletableFuture<Reply> answer = patient.ask(0, large(), LONG);
    patient.complete(peer.numbers.get(0), new Reply.Busy("no memory; try again"));
    assertThat(peer.forgotten).containsExactly(peer.numbers.get(0));
    assertThat(answer).isNotDone();

    Eventually.holds(
        "the request is retried",
        () -> {
          patient.tick();
          return peer.numbers.size() == 2;
        });
    patient.complete(peer.numbers.get(1), new Reply.Done());
    assertThat(answer).isCompletedWithValue(new Reply.Done());

    CompletableFuture<Reply> late = patient.ask(0, large(), Duration.ZERO);
    patient.complete(peer.numbers.get(2), new Reply.Busy("no memory; try again"));
    assertThatThrownBy(late::join)
        .hasCauseInstanceOf(PartitionUnavailableException.class)
        .hasMessageContaining("no memory; try again");
    assertThat(budget.taken()).isZero();
  }

  @Test
  void doesNotRedirectRequestsOfABusyNode() {
    CompletableFuture<Reply> answer = patient.askNode("n2", 0, new Request.AbortHandoff(1), LONG);
    patient.complete(peer.numbers.get(0), new Reply.Busy("no memory; try again"));
    patient.tick();

    assertThat(answer)
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(PartitionUnavailableException.class)
        .withMessageContaining("no memory; try again");
    assertThat(peer.numbers).hasSize(1);
  }

  @Test
  void awaitsRepliesOnlyOfOpenRequests() {
    assertThat(patient.ask(0, new Request.Present(), LONG)).isNotDone();
    long number = peer.numbers.get(0);

    assertThat(patient.awaited(number)).isEqualTo(PendingRequests.ReplyState.RETRYABLE);
    assertThat(patient.awaited(number + 1)).isEqualTo(PendingRequests.ReplyState.NO);
    patient.complete(number, new Reply.Done());
    assertThat(patient.awaited(number)).isEqualTo(PendingRequests.ReplyState.NO);
  }

  @Test
  void resendsTheReadsOfABrokenConnectionAndAcceptsOneReply() throws Exception {
    CompletableFuture<Reply> read = patient.ask(0, new Request.Present(), LONG);
    CompletableFuture<Reply> write =
        patient.ask(0, new Request.Execute(VectorClock.ZERO, Bytes.EMPTY), LONG);
    CompletableFuture<Reply> ofNode = patient.askNode("n2", 0, new Request.BalanceLeaders(), LONG);
    assertThat(peer.numbers).hasSize(3);

    patient.broken("n3", false);
    assertThat(peer.numbers).as("another node").hasSize(3);
    patient.broken("n2", false);

    assertThat(peer.numbers).as("only the read").hasSize(4);
    assertThat(peer.repeated).as("the write").containsExactly(peer.numbers.get(1));
    patient.complete(peer.numbers.get(0), new Reply.PreconditionFailed());
    assertThat(read).as("a late reply to what was sent again").isNotDone();
    patient.complete(peer.numbers.get(3), new Reply.Done());
    assertThat(read.get()).isEqualTo(new Reply.Done());
    patient.complete(peer.numbers.get(1), new Reply.Done());
    assertThat(write).as("its reply used another connection").isCompleted();
    assertThat(ofNode).isNotDone();
  }

  private CompletableFuture<Reply> write() {
    return patient.ask(0, new Request.Execute(VectorClock.ZERO, Bytes.EMPTY), LONG);
  }

  @Test
  void aWriteIsRepeatedUnderItsNumberOnceThereIsAConnection() {
    assertThat(write()).isNotDone();
    long number = peer.numbers.get(0);

    peer.isConnected = false;
    patient.broken("n2", false);
    patient.tick();
    assertThat(peer.repeated).isEmpty();
    peer.isConnected = true;
    patient.connected("n3");
    assertThat(peer.repeated).isEmpty();
    patient.connected("n2");

    assertThat(peer.repeated).containsExactly(number);
    patient.tick();
    patient.connected("n2");
    assertThat(peer.repeated).as("it is on the way").hasSize(1);
    patient.broken("n2", false);
    assertThat(peer.repeated).hasSize(2);
    assertThat(peer.numbers).hasSize(1);
  }

  @Test
  void aRepeatedWriteIsNeverSentUnderAnotherNumberUnlessItsReceiverHasRefusedIt() {
    CompletableFuture<Reply> answer = write();
    long number = peer.numbers.get(0);
    patient.broken("n2", false);

    // Of one of the two transmissions: the other may be in execution.
    patient.complete(number, new Reply.Busy("no memory"));
    patient.tick();

    assertThat(answer).isNotDone();
    assertThat(peer.numbers).hasSize(1);
    assertThat(peer.repeated).containsExactly(number, number);
    patient.complete(number, new Reply.Stale(1));
    patient.connected("n2");
    assertThat(peer.numbers).as("the receiver has not executed it").hasSize(2);
    patient.broken("n2", false);
    assertThat(peer.repeated).containsExactly(number, number, peer.numbers.get(1));
  }

  @Test
  void aWriteThatWasRepeatedBeforeItWasKnownToBeUnsentKeepsItsNumber() {
    AtomicReference<Consumer<Boolean>> first = new AtomicReference<>();
    Nowhere slow =
        new Nowhere() {
          @Override
          public void send(
              String node,
              int partition,
              long epoch,
              long number,
              Bytes request,
              Consumer<Boolean> done) {
            if (!first.compareAndSet(null, done)) {
              peer.numbers.add(number);
            }
          }
        };
    PendingRequests pending = Nowhere.requests(view, slow, budget, Runnable::run, LONG);
    Request write = new Request.Execute(VectorClock.ZERO, Bytes.EMPTY);
    assertThat(pending.ask(0, write, LONG)).isNotDone();

    pending.broken("n2", false);
    Objects.requireNonNull(first.get()).accept(false);
    pending.connected("n2");

    assertThat(peer.numbers).as("the repetition").hasSize(1);
  }

  @Test
  void theOldestWriteIsTheLowestThatIsNotAnswered() {
    assertThat(write()).isNotDone();
    assertThat(patient.ask(0, new Request.Present(), LONG)).isNotDone();
    assertThat(write()).isNotDone();
    assertThat(patient.oldestWrite()).isLessThan(0);

    patient.tick();
    assertThat(patient.oldestWrite()).isEqualTo(peer.numbers.get(0));
    patient.complete(peer.numbers.get(0), new Reply.Done());
    patient.tick();
    assertThat(patient.oldestWrite()).isEqualTo(peer.numbers.get(2));
    patient.complete(peer.numbers.get(2), new Reply.Done());
    patient.tick();
    assertThat(patient.oldestWrite()).isGreaterThan(peer.numbers.get(2));
    assertThat(write()).isNotDone();
    assertThat(patient.oldestWrite()).isLessThanOrEqualTo(peer.numbers.get(3));
  }

  @Test
  void resendsEachRequestOnceHoweverManyThereAre() {
    for (int i = 0; i < 500; i++) {
      assertThat(patient.ask(0, new Request.Present(), LONG)).isNotDone();
    }

    patient.broken("n2", false);
    assertThat(peer.numbers).hasSize(1_000);

    peer.isConnected = false;
    patient.broken("n2", false);
    patient.connected("n2");
    peer.isConnected = true;
    patient.connected("n2");
    assertThat(peer.numbers).hasSize(1_500);
  }

  @Test
  void sendsWhatReachedNobodyOnceThereIsAConnection() throws Exception {
    peer.isConnected = false;
    CompletableFuture<Reply> write =
        patient.ask(0, new Request.Execute(VectorClock.ZERO, Bytes.EMPTY), LONG);
    CompletableFuture<Reply> ofNode = patient.askNode("n2", 0, new Request.BalanceLeaders(), LONG);
    patient.connected("n2");
    assertThat(peer.numbers).isEmpty();

    peer.isConnected = true;
    patient.connected("n3");
    assertThat(peer.numbers).as("another node").isEmpty();
    patient.connected("n2");
    patient.connected("n2");

    assertThat(peer.numbers).hasSize(2);
    peer.numbers.forEach(number -> patient.complete(number, new Reply.Done()));
    assertThat(write.get()).isEqualTo(new Reply.Done());
    assertThat(ofNode.get()).isEqualTo(new Reply.Done());
  }

  @Test
  void retriesWhatReachedNobodyUntilTheDeadline() throws Exception {
    peer.isConnected = false;
    CompletableFuture<Reply> write =
        patient.ask(0, new Request.Execute(VectorClock.ZERO, Bytes.EMPTY), LONG);
    CompletableFuture<Reply> late =
        patient.ask(0, new Request.Execute(VectorClock.ZERO, Bytes.EMPTY), Duration.ofMillis(1));
    Eventually.holds(
        "it is late",
        () -> {
          patient.tick();
          return late.isDone();
        });
    assertThatThrownBy(late::join)
        .hasCauseInstanceOf(PartitionUnavailableException.class)
        .hasMessageContaining("node n2 can't be reached at its data port");

    peer.isConnected = true;
    Eventually.holds(
        "it is sent",
        () -> {
          patient.tick();
          return peer.numbers.size() == 1;
        });
    patient.complete(peer.numbers.get(0), new Reply.Done());
    assertThat(write.get()).isEqualTo(new Reply.Done());
  }

  @Test
  void reportsThatTheReceiverOfAMessageHadNoMemory() {
    List<String> outcomes = new ArrayList<>();
    OneWayRequests.SendListener listener =
        new OneWayRequests.SendListener() {
          @Override
          public void done() {
            outcomes.add("done");
          }

          @Override
          public void refused() {
            outcomes.add("refused");
          }
        };
    List<LogRecord> records = List.of(new LogRecord((byte) 1, new byte[40_000]));
    Request large =
        new Request.ToReplica("n1", "n2", new ReplicaMessage.Group(1, 1, 0, 1, records, 1));
    assertThat(patient.tellNode("n2", 0, large, budget, listener)).isTrue();
    long number = peer.numbers.get(0);

    patient.complete(number, new Reply.Done());
    patient.complete(number, new Reply.Busy("full"));
    patient.complete(number, new Reply.Busy("full"));

    assertThat(outcomes).containsExactly("done", "refused");
  }

  @Test
  void encodesALargeMessageToAReplicaOnlyOnceThereIsMemory() {
    List<LogRecord> records = List.of(new LogRecord((byte) 1, new byte[40_000]));
    Request large =
        new Request.ToReplica("n1", "n2", new ReplicaMessage.Group(1, 1, 0, 1, records, 1));
    AtomicInteger done = new AtomicInteger();
    TrafficBudget.Reservation taken = budget.take(50_000);
    assertThat(patient.tellNode("n2", 0, large, budget, done::incrementAndGet)).isTrue();
    assertThat(peer.numbers).isEmpty();

    taken.close();

    assertThat(peer.numbers).hasSize(1);
    assertThat(done).hasValue(1);
    assertThat(budget.taken()).isZero();
  }

  @Test
  void reportsMessagesThatNoThreadSends() {
    PendingRequests failing =
        Nowhere.requests(
            view,
            peer,
            budget,
            task -> {
              throw new OutOfMemoryError("for a test");
            },
            LONG);
    List<LogRecord> records = List.of(new LogRecord((byte) 1, new byte[40_000]));
    Request message =
        new Request.ToReplica("n1", "n2", new ReplicaMessage.Group(1, 1, 0, 1, records, 1));
    AtomicInteger done = new AtomicInteger();
    TrafficBudget.Reservation taken = budget.take(50_000);
    CompletableFuture<Reply> reply = failing.ask(0, large(), LONG);
    assertThat(failing.tellNode("n2", 0, message, budget, done::incrementAndGet)).isTrue();

    taken.close();

    assertThat(reply).isCompletedExceptionally();
    assertThat(done.get()).isPositive();
    assertThat(peer.numbers).isEmpty();
    assertThat(budget.taken()).isZero();
  }

  /** Replicas tolerate lost messages, so their messages need no reply. */
  @Test
  void sendsSmallMessagesToReplicasWithoutANumber() {
    Request message = new Request.ToReplica("n1", "n2", new ReplicaMessage.StaleEpoch(3));
    AtomicInteger done = new AtomicInteger();
    assertThat(patient.tellNode("n2", 0, message, budget, done::incrementAndGet)).isTrue();
    assertThat(peer.messages).containsExactly(RequestCodec.encode(message));
    assertThat(patient.tellNode("n2", 0, new Request.Present(), budget, done::incrementAndGet))
        .isTrue();

    assertThat(peer.messages).hasSize(1);
    assertThat(peer.numbers).hasSize(1);
    assertThat(done).hasValue(2);
  }
}
