package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.TransactionTimeoutException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.ConditionalWrites;
import io.github.stablecut.internal.partition.commit.Footprints;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.partition.commit.TransactionPart;
import io.github.stablecut.internal.record.Digest;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.SessionName;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.transaction.routing.PartitionSettings;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.journal.JournalClosedException;
import io.github.stablecut.journal.JournalFailedException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One partition in the two phases, message by message. */
final class TwoPhaseRulesTest {
  private static final CounterKey X = Key.counter("b", "x");
  private static final CounterKey Y = Key.counter("b", "y");
  private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");

  /** Another partition decides it. */
  private static final TransactionId ID = new TransactionId(0, 1, 1);

  private final List<Message.ToPartition> sent = new ArrayList<>();
  private final List<Message.ToDriver> answers = new ArrayList<>();
  private final Message.Driver driver =
      new Message.Driver() {
        @Override
        public long number() {
          return 1;
        }

        @Override
        public void tell(Message.ToDriver answer) {
          answers.add(answer);
        }

        @Override
        public boolean isLost() {
          return isDriverLost;
        }
      };

  private Instant now = NOON;
  private long nanos;
  private boolean isBroken;
  private boolean isDriverLost;
  private long epoch = 1;
  private LossyDisk disk = LossyDisk.empty();
  private Partition partition = open(1);

  private Partition open(int number) {
    StoreOptions options =
        StoreOptions.defaults()
            .withClock(() -> now)
            .withLimits(LossyDisk.LIMITS)
            .withExecutor(Runnable::run)
            .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO));
    return Partition.open(
        PartitionSettings.of(options, LocalDataCentre.FIRST, number),
        PartitionContext.builder(
                epoch++,
                PartitionSettings.clock(options),
                new ActiveSnapshots(System::nanoTime, Long.MAX_VALUE),
                this::send)
            .nanoTime(() -> nanos)
            .build(),
        disk.journal(),
        disk.checkpoints());
  }

  private void send(int to, Message.ToPartition message) {
    if (isBroken) {
      throw new NoClassDefFoundError("injected");
    }
    sent.add(message);
  }

  private void killAndReopen() {
    LossyDisk left = disk.afterKill();
    int number = partition.number();
    partition.close();
    disk = left;
    sent.clear();
    partition = open(number);
  }

  @AfterEach
  void close() {
    partition.close();
  }

  private CommitRequest request(
      TransactionMetadata facts,
      VectorClock snapshot,
      Set<Bytes> certified,
      CounterKey... written) {
    return part(facts, snapshot, certified, written).toRequest();
  }

  private TransactionPart part(
      TransactionMetadata facts,
      VectorClock snapshot,
      Set<Bytes> certified,
      CounterKey... written) {
    return part(
        facts,
        snapshot,
        certified,
        Arrays.stream(written).map(CounterKey::increment).toArray(Update[]::new));
  }

  private TransactionPart part(
      TransactionMetadata facts, VectorClock snapshot, Set<Bytes> certified, Update... updates) {
    return TransactionPart.of(
        new CommitRequest.Part(0, snapshot, VectorClock.ZERO, writes(snapshot, updates), certified),
        facts);
  }

  private static List<CommitRequest.ObjectWrite> writes(VectorClock snapshot, Update... updates) {
    List<CommitRequest.ObjectWrite> writes = new ArrayList<>();
    for (Update update : updates) {
      Key<?> key = update.key();
      Object effect =
          CallTypes.downstream(
              key.type(),
              update.operation(),
              key.type().initial(),
              new OperationContext(0, snapshot, new SelfDots()));
      writes.add(
          new CommitRequest.ObjectWrite(
              key.id(),
              key.type(),
              List.of(effect),
              List.of(CallTypes.encodeEffect(key.type(), effect))));
    }
    return writes;
  }

  private long commit(VectorClock snapshot, Set<Bytes> certified, CounterKey... written) {
    var committed =
        partition.commitAsync(
            request(TransactionMetadata.none(), snapshot, certified, written), Runnable::run);
    partition.flushGroup();
    return committed.toCompletableFuture().join().max();
  }

  /** Submits a transaction that certifies nothing. */
  private CompletableFuture<VectorClock> submit(Update... updates) {
    return submit(part(TransactionMetadata.none(), partition.stable(), Set.of(), updates));
  }

  private CompletableFuture<VectorClock> submit(TransactionPart part) {
    return partition.commitAsync(part.toRequest(), Runnable::run).toCompletableFuture();
  }

  private long commit(Set<Bytes> certified, CounterKey... written) {
    return commit(partition.stable(), certified, written);
  }

  private long commit(CounterKey... written) {
    return commit(Set.of(), written);
  }

  /** Prepares a part, and returns its prepare time. */
  private long prepare(TransactionId id, Set<Bytes> certified, CounterKey... written) {
    TransactionMetadata facts = TransactionMetadata.participant(id, List.copyOf(certified));
    answers.clear();
    receive(new Message.Prepare(driver, part(facts, partition.stable(), certified, written)));
    partition.flushGroup();
    assertThat(answers).hasSize(1);
    return ((Message.Prepared) answers.get(0)).time();
  }

  private void receive(Message.ToPartition message) {
    partition.receive(message);
  }

  private long value(CounterKey key, long time) {
    VectorClock snapshot = VectorClock.of(time);
    Object state =
        partition.versionAt(key.id(), snapshot).map(Version::state).orElseGet(key.type()::initial);
    return key.view(state, snapshot);
  }

  @Test
  void reportsNothingBeforeItIsDurable() {
    receive(
        new Message.Prepare(
            driver,
            part(TransactionMetadata.participant(ID, List.of()), partition.stable(), Set.of(), X)));
    assertThat(answers).isEmpty();
    partition.flushGroup();
    assertThat(answers).hasSize(1).allMatch(Message.Prepared.class::isInstance);
    long time = ((Message.Prepared) answers.get(0)).time();

    receive(new Message.Commit(ID, time + 1));
    assertThat(sent).isEmpty();
    partition.flushGroup();
    assertThat(sent).containsExactly(new Message.Acknowledge(ID, 1));
  }

  @Test
  void aPartIsVisibleFromTheCommitTimeNotFromThePrepareTime() {
    long prepared = prepare(ID, Set.of(), X);
    long decided = prepared + 1_000;
    receive(new Message.Commit(ID, decided));
    partition.flushGroup();

    assertThat(value(X, prepared)).isZero();
    assertThat(value(X, decided - 1)).isZero();
    assertThat(value(X, decided)).isEqualTo(1);
  }

  @Test
  void anOutcomeIsOrderedAmongCommitsMadeMeanwhile() {
    long prepared = prepare(ID, Set.of(), X);
    now = now.plusSeconds(1);
    long meanwhile = commit(X);
    receive(new Message.Commit(ID, prepared + 1));
    partition.flushGroup();
    now = now.plusSeconds(1);
    long later = commit(X);

    assertThat(value(X, prepared)).isZero();
    assertThat(value(X, prepared + 1)).isEqualTo(1);
    assertThat(value(X, meanwhile)).isEqualTo(2);
    assertThat(value(X, later)).isEqualTo(3);
  }

  @Test
  void commitsAreAboveDecisionsOfOtherPartitions() {
    VectorClock before = partition.stable();
    long decided = prepare(ID, Set.of(), X) + (60_000L << 20);
    receive(new Message.Commit(ID, decided));
    partition.flushGroup();

    assertThat(commit(before, Set.of(), Y)).isGreaterThan(decided);
  }

  @Test
  void issuesNoPrepareTimeTwiceThoughTheClockGoesBack() {
    long first = prepare(ID, Set.of(), X);
    now = now.minusSeconds(60);
    killAndReopen();

    assertThat(prepare(new TransactionId(0, 1, 2), Set.of(), Y)).isGreaterThan(first);
  }

  @Test
  void refusesToCertifyAnObjectThatMayBeWritten() {
    prepare(ID, Set.of(), X);
    for (int opening = 0; opening < 2; opening++) {
      assertThatThrownBy(() -> commit(Set.of(X.id()), X)).isInstanceOf(ConflictException.class);
      assertThatThrownBy(() -> commit(Set.of(X.id()), Y)).isInstanceOf(ConflictException.class);
      commit(X);
      killAndReopen();
    }
    receive(new Message.Abort(ID));
    commit(Set.of(X.id()), X);
  }

  @Test
  void refusesToWriteACertifiedObjectWithCertification() {
    prepare(ID, Set.of(X.id()), Y);
    for (int opening = 0; opening < 2; opening++) {
      assertThatThrownBy(() -> commit(Set.of(X.id()), X)).isInstanceOf(ConflictException.class);
      killAndReopen();
    }
    receive(new Message.Abort(ID));
    commit(Set.of(X.id()), X);
  }

  /**
   * A client that knows of a transaction's commit reads at or above it; that this partition has not
   * heard of the commit yet is no conflict.
   */
  @Test
  void certificationWaitsForTransactionsThatItsSnapshotMayInclude() {
    for (boolean isWritten : List.of(true, false)) {
      TransactionId id = new TransactionId(0, 1, isWritten ? 1 : 2);
      long prepared = isWritten ? prepare(id, Set.of(Y.id()), X) : prepare(id, Set.of(X.id()), Y);
      VectorClock acknowledged = VectorClock.of(prepared + 10);
      CompletableFuture<VectorClock> next =
          submit(part(TransactionMetadata.none(), acknowledged, Set.of(X.id()), X));
      CompletionStage<Void> settled =
          partition.settled(
              part(TransactionMetadata.none(), acknowledged, Set.of(X.id()), X).toRequest().part());
      assertThat(next).isNotDone();
      assertThat(settled.toCompletableFuture()).isNotDone();
      assertThatThrownBy(() -> commit(VectorClock.of(prepared - 1), Set.of(X.id()), X))
          .isInstanceOf(ConflictException.class);

      receive(new Message.Commit(id, prepared + 10));
      partition.flushGroup();
      assertThat(settled.toCompletableFuture()).isCompleted();
      assertThat(next).isCompleted();
      now = now.plusSeconds(1);
    }
  }

  /** It was not acknowledged before the snapshot, after all. */
  @Test
  void anOutcomeAboveTheSnapshotIsAConflict() {
    long prepared = prepare(ID, Set.of(Y.id()), X);
    CompletableFuture<VectorClock> next =
        submit(part(TransactionMetadata.none(), VectorClock.of(prepared + 10), Set.of(X.id()), X));
    receive(new Message.Commit(ID, prepared + 11));
    partition.flushGroup();
    assertThat(next)
        .failsWithin(Duration.ofMinutes(1))
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(ConflictException.class);
  }

  private TransactionPart part(TransactionMetadata facts, Footprint.Elements range) {
    Footprints certified = new Footprints();
    certified.addRange(range);
    return TransactionPart.of(
        new CommitRequest.Part(0, partition.stable(), VectorClock.ZERO, List.of(), certified),
        facts);
  }

  @Test
  void refusesWritesIntoARangeThatAPreparedTransactionHasCertified() {
    Footprint.Elements range = new Footprint.Elements(X.id(), Optional.of(Y.id()));
    TransactionMetadata facts = TransactionMetadata.participant(ID, List.of(), List.of(range));
    receive(new Message.Prepare(driver, part(facts, range)));
    partition.flushGroup();
    for (int opening = 0; opening < 2; opening++) {
      assertThatThrownBy(() -> commit(Set.of(X.id()), X)).isInstanceOf(ConflictException.class);
      CompletableFuture<VectorClock> outside = submit(Y.increment());
      CompletableFuture<VectorClock> other = submit(X.increment());
      partition.flushGroup();
      assertThat(outside).isCompleted();
      assertThat(other).isNotDone();
      if (opening == 0) {
        killAndReopen();
      } else {
        receive(new Message.Abort(ID));
        partition.flushGroup();
        assertThat(other).isCompleted();
      }
    }
  }

  /** Its own write is a change of the range by then. */
  @Test
  void aRepeatedRequestThatWritesIntoItsOwnRangeGetsTheFirstOutcome() {
    Footprint.Elements range = new Footprint.Elements(X.id(), Optional.of(Y.id()));
    RequestId request =
        new RequestId(new SessionName(now.toEpochMilli(), 0, 2, 0), 1, new Digest(3, 4));
    TransactionPart single =
        writesIntoItsRange(TransactionMetadata.of(Optional.of(request)), range);
    CompletableFuture<VectorClock> first = submit(single);
    partition.flushGroup();
    CompletableFuture<VectorClock> second = submit(single);
    partition.flushGroup();
    assertThat(second.join()).isEqualTo(first.join());

    receive(new Message.Open(driver, 7, Optional.empty()));
    TransactionId id = ((Message.Opened) answers.get(0)).id();
    TransactionPart deciding =
        writesIntoItsRange(TransactionMetadata.decision(id, List.of(2), Optional.empty()), range);
    for (int i = 0; i < 2; i++) {
      receive(new Message.Decide(driver, 0, deciding));
      partition.flushGroup();
    }
    assertThat(answers).hasSize(3);
    assertThat(answers.get(1)).isInstanceOf(Message.Decided.class);
    assertThat(answers.get(2)).isEqualTo(answers.get(1));
    assertThat(value(X, partition.stable().max())).isEqualTo(2);
  }

  private TransactionPart writesIntoItsRange(TransactionMetadata facts, Footprint.Elements range) {
    VectorClock snapshot = partition.stable();
    Footprints certified = new Footprints();
    certified.addRange(range);
    return TransactionPart.of(
        new CommitRequest.Part(
            0, snapshot, VectorClock.ZERO, writes(snapshot, X.increment()), certified),
        facts);
  }

  /** Its record lists objects only, so after a restart it blocks the whole object. */
  @Test
  void aPreparedTransactionBlocksTheCertifiedPartsOfObjects() {
    AddWinsSetKey<String> tags = Key.addWinsSet("b", "tags", Codec.string());
    Footprints certified = new Footprints();
    assertThat(certified.add(tags.id(), Footprint.element(Bytes.utf8("a")))).isTrue();
    TransactionMetadata facts = TransactionMetadata.participant(ID, List.of(tags.id()));
    VectorClock snapshot = partition.stable();
    CommitRequest.Part part =
        new CommitRequest.Part(0, snapshot, VectorClock.ZERO, List.of(), certified);
    receive(new Message.Prepare(driver, TransactionPart.of(part, facts)));
    partition.flushGroup();

    CompletableFuture<VectorClock> apart = submit(tags.add("b"));
    CompletableFuture<VectorClock> touching = submit(tags.add("a"));
    partition.flushGroup();
    assertThat(apart).isCompleted();
    assertThat(touching).isNotDone();

    killAndReopen();
    CompletableFuture<VectorClock> later = submit(tags.add("b"));
    partition.flushGroup();
    assertThat(later).isNotDone();
    receive(new Message.Abort(ID));
    partition.flushGroup();
    assertThat(later).isCompleted();
  }

  @Test
  void refusesToCertifyARangeThatAPreparedTransactionMayWriteInto() {
    prepare(ID, Set.of(), X);
    Footprint.Elements withX = new Footprint.Elements(X.id(), Optional.empty());
    Footprint.Elements withoutX = new Footprint.Elements(Y.id(), Optional.empty());

    assertThatThrownBy(
            () ->
                partition.commitAsync(
                    part(TransactionMetadata.none(), withX).toRequest(), Runnable::run))
        .isInstanceOf(ConflictException.class);
    var free =
        partition.commitAsync(
            part(TransactionMetadata.none(), withoutX).toRequest(), Runnable::run);
    partition.flushGroup();
    assertThat(free.toCompletableFuture()).isCompleted();
  }

  @Test
  void sendsTheCertifiedObjectsWithAPart() {
    Footprint.Elements range = new Footprint.Elements(X.id(), Optional.of(Y.id()));
    TransactionMetadata facts = TransactionMetadata.participant(ID, List.of(), List.of(range));

    TransactionPart received =
        TransactionPart.fromWire(part(facts, range).toWire(), frontier -> frontier);

    assertThat(received.toWire()).isEqualTo(part(facts, range).toWire());
    assertThatThrownBy(() -> TransactionPart.fromWire(Bytes.utf8("xy"), frontier -> frontier))
        .isInstanceOf(FormatException.class);
  }

  /** The reads of the certified transaction must still be true at its commit time. */
  @Test
  void anUncertifiedWriteIsOrderedAfterThePreparedTransactionThatCertifiedTheObject() {
    long prepared = prepare(ID, Set.of(X.id()), Y);
    for (int opening = 0; opening < 2; opening++) {
      CompletableFuture<VectorClock> other = submit(X.increment());
      partition.flushGroup();
      assertThat(other).isNotDone();

      long decided = prepared + (60_000L << 20);
      if (opening == 0) {
        killAndReopen();
      } else {
        receive(new Message.Commit(ID, decided));
        partition.flushGroup();
        assertThat(other.join().max()).isGreaterThan(decided);
        assertThat(value(X, decided)).isZero();
        assertThat(value(X, other.join().max())).isEqualTo(1);
      }
    }
  }

  @Test
  void aWaitingWriteContinuesAfterAnAbort() {
    prepare(ID, Set.of(X.id()), Y);
    CompletableFuture<VectorClock> first = submit(X.increment());
    CompletableFuture<VectorClock> second = submit(X.increment(), Y.increment());
    CompletableFuture<VectorClock> free = submit(Y.increment());
    partition.flushGroup();
    assertThat(free).isCompleted();

    receive(new Message.Abort(ID));
    partition.flushGroup();

    assertThat(first).isCompleted();
    assertThat(value(X, second.join().max())).isEqualTo(2);
  }

  @Test
  void aWaitingPartIsPreparedOnceNothingBlocksIt() {
    prepare(ID, Set.of(X.id()), Y);
    TransactionId other = new TransactionId(2, 1, 1);
    answers.clear();
    for (int sent = 0; sent < 2; sent++) {
      receive(
          new Message.Prepare(
              driver,
              part(
                  TransactionMetadata.participant(other, List.of()),
                  partition.stable(),
                  Set.of(),
                  X)));
    }
    partition.flushGroup();
    assertThat(answers).isEmpty();
    assertThat(partition.inDoubt()).containsExactly(ID);

    receive(new Message.Abort(ID));
    partition.flushGroup();

    assertThat(answers).hasSize(1).allMatch(Message.Prepared.class::isInstance);
    assertThat(partition.inDoubt()).containsExactly(other);
  }

  /** It would stay prepared until it asks for the outcome. */
  @Test
  void aPartAbortedWhileItWaitsIsNotPrepared() {
    prepare(ID, Set.of(X.id()), Y);
    TransactionId other = new TransactionId(2, 1, 1);
    answers.clear();
    TransactionMetadata facts = TransactionMetadata.participant(other, List.of());
    receive(new Message.Prepare(driver, part(facts, partition.stable(), Set.of(), X)));

    receive(new Message.Abort(other));
    receive(new Message.Abort(ID));
    partition.flushGroup();

    assertThat(answers).isEmpty();
    assertThat(partition.inDoubt()).isEmpty();
  }

  @Test
  void aWaitingDecisionIsMadeOnceNothingBlocksIt() {
    prepare(ID, Set.of(X.id()), Y);
    answers.clear();
    receive(new Message.Open(driver, 7, Optional.empty()));
    TransactionId other = ((Message.Opened) answers.get(0)).id();
    TransactionMetadata facts = TransactionMetadata.decision(other, List.of(2), Optional.empty());
    receive(new Message.Decide(driver, 0, part(facts, partition.stable(), Set.of(), X)));
    partition.flushGroup();
    assertThat(answers).hasSize(1);

    receive(new Message.Abort(ID));
    partition.flushGroup();

    assertThat(answers).hasSize(2);
    assertThat(answers.get(1)).isInstanceOf(Message.Decided.class);
  }

  /** Others wait for the certified parts that it follows. */
  @Test
  void aDecisionAfterCertifiedPartsIsRefusedInsteadOfWaiting() {
    prepare(ID, Set.of(X.id()), Y);
    answers.clear();
    receive(new Message.Open(driver, 7, Optional.empty()));
    TransactionId other = ((Message.Opened) answers.get(0)).id();
    TransactionMetadata facts = TransactionMetadata.decision(other, List.of(2), Optional.empty());
    CommitRequest.Part own =
        new CommitRequest.Part(
            0,
            partition.stable(),
            VectorClock.ZERO,
            writes(partition.stable(), X.increment()),
            Set.of());
    Bytes wire = TransactionPart.of(own.afterCertified(), facts).toWire();
    receive(
        new Message.Decide(
            driver, 0, TransactionPart.fromWire(wire, frontier -> VectorClock.ZERO)));
    partition.flushGroup();

    assertThat(answers).hasSize(2);
    assertThat(((Message.Refused) answers.get(1)).reason())
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("is certified by transaction");
  }

  @Test
  void aTransactionWithALiveDriverIsNotAborted() {
    receive(new Message.Open(driver, 7, Optional.empty()));
    TransactionId id = ((Message.Opened) answers.get(0)).id();
    TransactionMetadata facts = TransactionMetadata.decision(id, List.of(2), Optional.empty());
    Message.Decide decide =
        new Message.Decide(driver, 0, part(facts, partition.stable(), Set.of(), X));
    for (int i = 0; i < 3; i++) {
      nanos += Duration.ofSeconds(9).toNanos();
      receive(new Message.KeepAlive(driver, id));
      partition.tick();
    }
    assertThat(answers).hasSize(1);

    receive(decide);
    partition.flushGroup();

    assertThat(answers.get(1)).isInstanceOf(Message.Decided.class);
  }

  /** The decision itself may be large, and is not repeated at once. */
  @Test
  void aWaitingDriverLearnsOfTheCommitOnceItIsDurable() {
    receive(new Message.Open(driver, 7, Optional.empty()));
    TransactionId id = ((Message.Opened) answers.get(0)).id();
    TransactionMetadata facts = TransactionMetadata.decision(id, List.of(2), Optional.empty());
    receive(new Message.Decide(driver, 0, part(facts, partition.stable(), Set.of(), X)));
    receive(new Message.KeepAlive(driver, id));
    assertThat(answers).hasSize(1);
    partition.flushGroup();
    Message.ToDriver decided = answers.get(1);

    receive(new Message.KeepAlive(driver, id));

    assertThat(answers.subList(2, answers.size())).containsExactly(decided);
    assertThat(decided).isInstanceOf(Message.Decided.class);
  }

  @Test
  void aLateDriverOfAnAbortedTransactionOpensNothing() {
    receive(new Message.Open(driver, 7, Optional.empty()));
    TransactionId id = ((Message.Opened) answers.get(0)).id();
    receive(new Message.Abandon(id));

    receive(new Message.KeepAlive(driver, id));

    assertThat(answers).hasSize(1);
    assertThat(partition.openTransactions()).isZero();
  }

  @Test
  void abortsATransactionWithASilentDriver() {
    receive(new Message.Open(driver, 7, Optional.empty()));
    TransactionId id = ((Message.Opened) answers.get(0)).id();
    TransactionMetadata facts = TransactionMetadata.decision(id, List.of(2), Optional.empty());
    nanos += Duration.ofSeconds(11).toNanos();
    partition.tick();

    receive(new Message.Decide(driver, 0, part(facts, partition.stable(), Set.of(), X)));
    partition.flushGroup();

    assertThat(((Message.Refused) answers.get(1)).reason())
        .isInstanceOf(TransactionTimeoutException.class);
  }

  /** A refused driver makes the participants abort. */
  @Test
  void repeatsADecisionThoughItsObjectsAreUnreadable() {
    receive(new Message.Open(driver, 7, Optional.empty()));
    TransactionId id = ((Message.Opened) answers.get(0)).id();
    TransactionMetadata facts = TransactionMetadata.decision(id, List.of(2), Optional.empty());
    Message.Decide decide =
        new Message.Decide(driver, 0, part(facts, partition.stable(), Set.of(), X));
    receive(decide);
    partition.flushGroup();
    Message.ToDriver decided = answers.get(1);
    assertThat(decided).isInstanceOf(Message.Decided.class);
    assertThat(partition.maintain()).isEmpty();
    assertThat(partition.objects()).isZero();

    disk.checkpoints().failReadOnce(1);
    receive(decide);
    partition.flushGroup();

    assertThat(answers.subList(2, answers.size())).containsExactly(decided);
  }

  @Test
  void aTimedOutWaiterLearnsWhichTransactionBlocksIt() {
    prepare(ID, Set.of(X.id()), Y);
    CompletableFuture<VectorClock> other = submit(X.increment());
    nanos += Duration.ofSeconds(9).toNanos();
    partition.tick();
    assertThat(other).isNotDone();

    nanos += Duration.ofSeconds(2).toNanos();
    partition.tick();

    assertThatThrownBy(other::join)
        .hasCauseInstanceOf(TransactionTimeoutException.class)
        .hasMessageContainingAll("\"x\" in bucket \"b\"", ID.toString(), "10 seconds");
    receive(new Message.Abort(ID));
    assertThat(commit(X)).isPositive();
    assertThat(value(X, partition.stable().max())).isEqualTo(1);
  }

  @Test
  void waitersLearnThatThePartitionIsClosed() {
    prepare(ID, Set.of(X.id()), Y);
    CompletableFuture<VectorClock> other = submit(X.increment());

    partition.close();

    assertThatThrownBy(other::join).hasCauseInstanceOf(JournalClosedException.class);
  }

  @Test
  void anObjectThatIsOnlyPreparedHasNoType() {
    RegisterKey<String> asRegister = Key.register("b", "x", Codec.string());
    VectorClock before = partition.stable();
    prepare(ID, Set.of(), X);
    assertThat(partition.versionAt(X.id(), before)).isEmpty();
    assertThatThrownBy(() -> submit(asRegister.assign("a")))
        .isInstanceOf(ConflictException.class)
        .hasMessageContainingAll("\"x\" in bucket \"b\"", "counter", ID.toString());

    receive(new Message.Abort(ID));
    assertThat(partition.versionAt(X.id(), before)).isEmpty();
    CompletableFuture<VectorClock> other = submit(asRegister.assign("a"));
    partition.flushGroup();

    assertThat(other).isCompleted();
    assertThatThrownBy(() -> commit(X)).isInstanceOf(TypeMismatchException.class);
    assertThat(partition.versionAt(X.id(), before)).isEmpty();
  }

  @Test
  void anObjectOfACheckpointKeepsItsTypeWhileItIsPrepared() {
    commit(X);
    for (int i = 0; i < 2; i++) {
      commit(Y);
      assertThat(partition.maintain()).isEmpty();
    }
    killAndReopen();
    prepare(ID, Set.of(), X);

    RegisterKey<String> asRegister = Key.register("b", "x", Codec.string());
    assertThatThrownBy(() -> submit(asRegister.assign("a")))
        .isInstanceOf(TypeMismatchException.class);
  }

  /** Before the objects are read together, one is prepared and the other one committed after it. */
  @Test
  void aConditionSeesObjectsOfOneMoment() {
    AtomicInteger looks = new AtomicInteger();
    List<Bytes> ids =
        new AbstractList<>() {
          @Override
          public Bytes get(int index) {
            int look = looks.getAndIncrement();
            if (look == 1) {
              prepare(ID, Set.of(), X);
              commit(Y);
            } else if (look == 3) {
              receive(new Message.Commit(ID, ((Message.Prepared) answers.get(0)).time()));
              partition.flushGroup();
            }
            return (index == 0 ? X : Y).id();
          }

          @Override
          public int size() {
            return 2;
          }
        };

    ConditionalWrites.Latest latest = partition.conditional().latest(partition.stable(), ids);

    assertThat(latest.versions())
        .allSatisfy((id, version) -> assertThat(version.state()).isEqualTo(1L))
        .containsOnlyKeys(X.id(), Y.id());
  }

  @Test
  void prunesNothingThatAPreparedPartDependsOn() {
    long before = commit(X);
    VectorClock snapshot = partition.stable();
    prepare(ID, Set.of(), X);
    for (int i = 0; i < 3; i++) {
      commit(X, Y);
      assertThat(partition.maintain()).isEmpty();
    }

    assertThat(partition.watermarks().lowWatermark().isAtOrBefore(snapshot)).isTrue();
    assertThat(value(X, before)).isEqualTo(1);
  }

  /** Scenario 37 of the protocol. */
  @Test
  void aCheckpointStaysBelowPreparedTransactionsAndTheNextIncludesThem() {
    commit(X);
    long prepared = prepare(ID, Set.of(), X);
    long meanwhile = commit(Y);
    assertThat(partition.maintain()).isEmpty();
    assertThat(partition.watermarks().checkpointTime().max()).isLessThan(prepared);

    receive(new Message.Commit(ID, prepared));
    partition.flushGroup();
    assertThat(partition.maintain()).isEmpty();

    assertThat(partition.watermarks().checkpointTime().max()).isEqualTo(meanwhile);
    assertThat(value(X, meanwhile)).isEqualTo(2);
    killAndReopen();
    assertThat(value(X, meanwhile)).isEqualTo(2);
    assertThat(value(Y, meanwhile)).isEqualTo(1);
  }

  /** The coordinator crashes after one of two has the commit, and truncates what it may. */
  @Test
  void messagesToAClosedPartitionAreSilentlyLost() {
    long time = prepare(ID, Set.of(), X);
    partition.close();

    receive(new Message.Commit(ID, time));
    receive(new Message.Commit(ID, time));
    receive(new Message.Abort(ID));

    killAndReopen();
    assertThat(partition.inDoubt()).containsExactly(ID);
  }

  @Test
  void keepsADecisionUntilAllParticipantsHaveIt() {
    partition.close();
    disk = LossyDisk.empty();
    partition = open(0);
    receive(new Message.Open(driver, 7, Optional.empty()));
    TransactionId id = ((Message.Opened) answers.get(0)).id();
    TransactionMetadata facts = TransactionMetadata.decision(id, List.of(1, 2), Optional.empty());
    receive(new Message.Decide(driver, 0, part(facts, partition.stable(), Set.of(), X)));
    partition.flushGroup();
    long time = ((Message.Decided) answers.get(1)).time();
    assertThat(sent).containsExactly(new Message.Commit(id, time), new Message.Commit(id, time));
    receive(new Message.Acknowledge(id, 1));
    truncateAndReopen();

    sent.clear();
    receive(new Message.Query(id, 2));
    assertThat(sent).containsExactly(new Message.Commit(id, time));
    receive(new Message.Acknowledge(id, 1));
    receive(new Message.Acknowledge(id, 2));
    truncateAndReopen();

    // A decision that no participant needs is removed without a trace.
    receive(new Message.Query(id, 2));
    assertThat(sent).containsExactly(new Message.Abort(id));
  }

  private void truncateAndReopen() {
    for (int i = 0; i < 2; i++) {
      partition.flushGroup();
      killAndReopen();
      commit(Y);
      assertThat(partition.maintain()).isEmpty();
    }
    killAndReopen();
  }

  /** Effects of which the second can't be read. */
  private static final class HalfReadable extends AbstractList<Object> {
    private final List<Object> first;
    private final Error thrown;
    private boolean isArmed;

    HalfReadable(List<Object> first, Error thrown) {
      this.first = first;
      this.thrown = thrown;
    }

    @Override
    public Object get(int index) {
      if (index == 1 && isArmed) {
        throw thrown;
      }
      return first.get(0);
    }

    @Override
    public int size() {
      return 2;
    }
  }

  @Test
  void anErrorDuringACommitFailsTheJournalAndNoReaderSeesHalfOfIt() {
    commit(X);
    CommitRequest request = request(TransactionMetadata.none(), partition.stable(), Set.of(), X);
    OutOfMemoryError error = new OutOfMemoryError("injected");
    CommitRequest half = halfOf(request, error);

    assertThatThrownBy(() -> partition.commitAsync(half, Runnable::run)).isSameAs(error);

    assertThat(partition.failure()).get().asString().contains("injected", "reopen");
    assertThatThrownBy(() -> commit(X)).isInstanceOf(JournalFailedException.class);
    now = now.plusSeconds(10);
    assertThat(value(X, partition.newest().max())).isEqualTo(1);
    killAndReopen();
    assertThat(value(X, commit(X))).isEqualTo(2);
  }

  @Test
  void aWaiterForSuchACommitLearnsThatTheJournalHasFailed() {
    commit(X);
    CommitRequest request = request(TransactionMetadata.none(), partition.stable(), Set.of(), X);
    CommitRequest half = halfOf(request, new OutOfMemoryError("injected"));

    assertThatThrownBy(() -> partition.commit(half))
        .isInstanceOf(JournalFailedException.class)
        .hasMessageContaining("injected");
  }

  private CommitRequest halfOf(CommitRequest request, Error error) {
    Object effect =
        CallTypes.downstream(
            X.type(),
            X.increment().operation(),
            X.type().initial(),
            new OperationContext(0, request.snapshot(), new SelfDots()));
    HalfReadable effects = new HalfReadable(List.of(effect), error);
    byte[] encoded = CallTypes.encodeEffect(X.type(), effect);
    CommitRequest made =
        CommitRequest.of(
            new CommitRequest.Part(
                0,
                request.snapshot(),
                VectorClock.ZERO,
                List.of(
                    new CommitRequest.ObjectWrite(
                        X.id(), X.type(), effects, List.of(encoded, encoded))),
                Set.of()),
            TransactionMetadata.none());
    effects.isArmed = true;
    return made;
  }

  @Test
  void aFailureOfTheReceiverDoesNotAffectTheSender() {
    long time = prepare(ID, Set.of(), X);
    isBroken = true;

    receive(new Message.Commit(ID, time));
    partition.flushGroup();
    assertThat(sent).isEmpty();
    assertThat(partition.failure()).isEmpty();
    assertThat(partition.problems()).singleElement().asString().contains("injected");

    isBroken = false;
    receive(new Message.Commit(ID, time));
    assertThat(sent).containsExactly(new Message.Acknowledge(ID, 1));
    assertThat(value(X, time)).isEqualTo(1);
  }

  /** Otherwise readers of the participants would wait until its timeout. */
  @Test
  void abortsTransactionsOfALostNodesDriverAtOnce() {
    receive(new Message.Open(driver, 7, Optional.empty()));
    TransactionId id = ((Message.Opened) answers.get(0)).id();
    receive(new Message.Query(id, 2));
    assertThat(sent).isEmpty();

    isDriverLost = true;
    receive(new Message.Query(id, 2));

    assertThat(sent).containsExactly(new Message.Abort(id));
    answers.clear();
    receive(new Message.KeepAlive(driver, id));
    receive(new Message.Query(id, 2));
    assertThat(sent).containsExactly(new Message.Abort(id), new Message.Abort(id));
  }
}
