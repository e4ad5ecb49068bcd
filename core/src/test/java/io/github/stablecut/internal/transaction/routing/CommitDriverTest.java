package io.github.stablecut.internal.transaction.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.error.UnexpectedFailureException;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.record.Digest;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.SessionName;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Protocol 1.9: what the driver of a transaction over partitions 0, 1 and 2 sends and reports. */
final class CommitDriverTest {
  private static final CounterKey COUNTER = Key.counter("b", "k");
  private static final TransactionId ID = new TransactionId(0, 1, 1);

  /** The immediate answers of partitions to prepare requests; others do not answer. */
  private final Map<Integer, Message.ToDriver> answers = new HashMap<>();

  private final List<String> sent = new ArrayList<>();

  /** Whether the last decision was requested after certified parts were prepared. */
  private boolean isDecidedAfterCertified;

  private boolean isBroken;
  private final CommitDriver driver =
      new CommitDriver(
          this::send, Map.of(0, part(), 1, part(), 2, part()), 7, Optional.empty(), () -> 0, 1_000);
  private final CompletableFuture<Long> outcome = driver.start();

  private static CommitRequest.Part part() {
    return part(Set.of());
  }

  private static CommitRequest.Part part(Set<Bytes> certified) {
    Object effect =
        CallTypes.downstream(
            COUNTER.type(),
            COUNTER.increment().operation(),
            COUNTER.type().initial(),
            new OperationContext(0, VectorClock.ZERO, new SelfDots()));
    CommitRequest.ObjectWrite write =
        new CommitRequest.ObjectWrite(
            COUNTER.id(),
            COUNTER.type(),
            List.of(effect),
            List.of(CallTypes.encodeEffect(COUNTER.type(), effect)));
    return new CommitRequest.Part(0, VectorClock.ZERO, VectorClock.ZERO, List.of(write), certified);
  }

  private void send(int partition, Message.ToPartition message) {
    // The caller that delivers an answer may hold locks of the addressed partition.
    message.asker().ifPresent(asker -> assertThat(Thread.holdsLock(asker)).isFalse());
    sent.add(message.getClass().getSimpleName() + " " + partition);
    if (message instanceof Message.Abandon && isBroken) {
      throw new IllegalStateException("no memory to send it");
    }
    if (message instanceof Message.Decide decide) {
      isDecidedAfterCertified = decide.part().followsCertified();
    }
    Message.ToDriver answer = answers.get(partition);
    if (message instanceof Message.Prepare prepare && answer != null) {
      prepare.driver().tell(answer);
    }
  }

  private void prepared(int partition) {
    driver.tell(new Message.Prepared(ID, partition, 10));
  }

  @Test
  void commitsOnceAllHavePrepared() {
    driver.tell(new Message.Opened(ID));
    prepared(2);
    prepared(1);
    driver.tell(new Message.Decided(ID, 11));

    assertThat(sent).containsExactly("Open 0", "Prepare 1", "Prepare 2", "Decide 0");
    assertThat(isDecidedAfterCertified).isFalse();
    assertThat(outcome).isCompletedWithValue(11L);
  }

  @Test
  void aCommitThatTimesOutBeforeItsStartSendsNothing() {
    sent.clear();
    CommitDriver waiting =
        new CommitDriver(
            this::send, Map.of(0, part(), 1, part()), 8, Optional.empty(), () -> 0, 1_000);
    waiting.tick(1_001);

    CompletableFuture<Long> late = waiting.start();

    assertThat(sent).isEmpty();
    assertThat(late).isCompletedExceptionally();
  }

  /** An uncertified part may have to wait; others must not wait for its transaction then. */
  @Test
  void preparesCertifiedPartsAfterTheOthers() {
    sent.clear();
    CommitDriver mixed =
        new CommitDriver(
            this::send,
            Map.of(0, part(), 1, part(Set.of(COUNTER.id())), 2, part(), 3, part()),
            8,
            Optional.empty(),
            () -> 0,
            1_000);
    var committed = mixed.start();
    mixed.tell(new Message.Opened(ID));
    mixed.tell(new Message.Prepared(ID, 3, 10));
    assertThat(sent).containsExactly("Open 0", "Prepare 2", "Prepare 3");

    mixed.tell(new Message.Prepared(ID, 2, 10));
    assertThat(sent).endsWith("Prepare 1");
    mixed.tell(new Message.Prepared(ID, 1, 10));
    assertThat(sent).endsWith("Decide 0");
    assertThat(isDecidedAfterCertified).isTrue();
    mixed.tell(new Message.Decided(ID, 11));
    assertThat(committed).isCompletedWithValue(11L);
  }

  /** Large parts may be in flight for longer than a coordinator waits for a silent driver. */
  @Test
  void theCoordinatorHearsThatPartsAreStillInTransit() {
    sent.clear();
    Optional<RequestId> request =
        Optional.of(new RequestId(new SessionName(1, 2, 3, 4), 1, new Digest(5, 6)));
    CommitDriver slow =
        new CommitDriver(this::send, Map.of(0, part(), 1, part()), 8, request, () -> 0, 1L << 60);
    assertThat(slow.start()).isNotDone();
    slow.tell(new Message.Opened(ID));
    sent.clear();

    slow.tick(1_000_000_000);
    assertThat(sent).containsExactly("Prepare 1", "KeepAlive 0");
    slow.tell(new Message.Prepared(ID, 1, 10));
    slow.tick(2_000_000_000);

    assertThat(sent).endsWith("Decide 0", "Decide 0", "KeepAlive 0");
  }

  @Test
  void asksNoPartitionToPrepareAfterARefusal() {
    answers.put(
        1,
        new Message.Refused(Optional.of(ID), 1, new ConflictException("another one was faster")));
    driver.tell(new Message.Opened(ID));

    assertThatThrownBy(outcome::join).hasCauseInstanceOf(ConflictException.class);
    assertThat(sent).doesNotContain("Prepare 2").contains("Abandon 0");
  }

  @Test
  void aLateRefusalOfAnOpenUndoesNoDecision() {
    driver.tell(new Message.Opened(ID));
    prepared(1);
    prepared(2);
    driver.tell(
        new Message.Refused(
            Optional.empty(),
            0,
            UnexpectedFailureException.of("no thread", new OutOfMemoryError())));

    assertThat(sent).containsExactly("Open 0", "Prepare 1", "Prepare 2", "Decide 0");
    driver.tell(new Message.Decided(ID, 11));
    assertThat(outcome).isCompletedWithValue(11L);
  }

  @Test
  void aLateRefusalOfAnOpenUndoesNoPreparedPart() {
    driver.tell(new Message.Opened(ID));
    prepared(1);
    driver.tell(
        new Message.Refused(
            Optional.empty(), 0, new PartitionUnavailableException("it is out of reach")));
    prepared(2);

    assertThat(sent).containsExactly("Open 0", "Prepare 1", "Prepare 2", "Decide 0");
  }

  @Test
  void aLateRefusalOfAPreparedPartUndoesNoDecision() {
    driver.tell(new Message.Opened(ID));
    prepared(1);
    prepared(2);
    driver.tell(
        new Message.Refused(
            Optional.of(ID), 1, new PartitionUnavailableException("it is out of reach")));

    assertThat(outcome).isNotDone();
    driver.tell(new Message.Decided(ID, 11));
    assertThat(outcome).isCompletedWithValue(11L);
  }

  @Test
  void aFailedSendKeepsNoOtherFromBeingNotified() {
    isBroken = true;
    driver.tell(new Message.Opened(ID));

    assertThatThrownBy(
            () ->
                driver.tell(
                    new Message.Refused(Optional.of(ID), 1, new ConflictException("too late"))))
        .hasMessage("no memory to send it");
    assertThatThrownBy(outcome::join).hasCauseInstanceOf(ConflictException.class);
    assertThat(sent).endsWith("Abandon 0", "Abort 1", "Abort 2");
  }

  /** The waiter waits for the transaction without the lock. */
  @Test
  void notifiesWaitersForTheOutcomeWithoutTheLock() {
    CompletableFuture<Boolean> holds = outcome.thenApply(time -> Thread.holdsLock(driver));
    driver.tell(new Message.Opened(ID));
    driver.tell(new Message.Decided(ID, 11));

    assertThat(holds).isCompletedWithValue(false);
  }

  @Test
  void aRefusalOfTheDecisionIsOne() {
    driver.tell(new Message.Opened(ID));
    prepared(1);
    prepared(2);
    driver.tell(
        new Message.Refused(Optional.of(ID), 0, new ConflictException("another one was faster")));

    assertThatThrownBy(outcome::join).hasCauseInstanceOf(ConflictException.class);
    assertThat(sent).contains("Abandon 0", "Abort 1", "Abort 2");
  }

  @Test
  void reportsNotCommittedIfTheStoreClosesBeforeTheDecision() {
    driver.tell(new Message.Opened(ID));
    prepared(1);
    driver.close();
    prepared(2);

    assertThatThrownBy(outcome::join).hasCauseInstanceOf(StoreClosedException.class);
    assertThat(sent).doesNotContain("Decide 0");
  }

  @Test
  void reportsAnUnknownOutcomeIfTheStoreClosesDuringTheDecision() {
    driver.tell(new Message.Opened(ID));
    prepared(1);
    prepared(2);
    driver.close();

    assertThatThrownBy(outcome::join)
        .hasCauseInstanceOf(OutcomeUnknownException.class)
        .hasMessageContainingAll("closed", "partition 0", "0-1-1");
  }
}
