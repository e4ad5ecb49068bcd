package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.error.TransactionExpiredException;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionStreams;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.partition.commit.TransactionPart;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.internal.stream.StreamBatch;
import io.github.stablecut.internal.stream.StreamReader;
import io.github.stablecut.internal.transaction.routing.PartitionSettings;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ResettableCounterKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.IndexOptions;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A partition of data centre 1 with arrivals from data centre 2, and snapshots that have less of
 * them, or more.
 */
final class PartitionInADataCentreTest {
  private static final ResettableCounterKey KEY = Key.resettableCounter("b", "k");
  private static final LocalDataCentre LOCAL = new LocalDataCentre(1);
  private static final int OTHER = 2;
  private static final long ARRIVED = 1_000;

  private final ActiveSnapshots active =
      new ActiveSnapshots(System::nanoTime, Duration.ofHours(1).toNanos());
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
      };
  private Duration retention = Duration.ZERO;
  private Set<Integer> others = Set.of();
  private LossyDisk disk =
      Arrivals.add(LossyDisk.empty(), VectorClock.ZERO, VectorClock.ZERO.with(OTHER, ARRIVED));
  private long epoch;
  private Partition partition = opened(true);

  private Partition opened(boolean isIndexOn) {
    StoreOptions options =
        StoreOptions.defaults()
            .withLimits(LossyDisk.LIMITS)
            .withIndex(isIndexOn ? IndexOptions.defaults() : IndexOptions.off())
            .withExecutor(Runnable::run)
            .withCheckpoints(CheckpointPolicy.byCall().withRetention(retention));
    return Partition.open(
        PartitionSettings.of(options, LOCAL, 0),
        PartitionContext.builder(
                ++epoch, PartitionSettings.clock(options), active, (to, message) -> {})
            .otherDataCentres(others)
            .build(),
        disk.journal(),
        disk.checkpoints());
  }

  private void open(boolean isIndexOn) {
    open(disk.afterKill(), isIndexOn);
  }

  private void open(LossyDisk left, boolean isIndexOn) {
    partition.close();
    disk = left;
    partition = opened(isIndexOn);
  }

  @AfterEach
  void close() {
    partition.close();
  }

  /** A snapshot of the present, with some of another data centre's commits. */
  private VectorClock snapshot(long other) {
    return partition.stable().with(OTHER, other);
  }

  private VectorClock commit(VectorClock snapshot, Update update) {
    Object state =
        partition
            .versionAt(KEY.id(), snapshot)
            .<Object>map(version -> version.state())
            .orElseGet(KEY.type()::initial);
    return commit(snapshot, state, update);
  }

  private VectorClock commit(VectorClock snapshot, Object state, Update update) {
    return commit(snapshot, state, update, Set.of());
  }

  private VectorClock commit(
      VectorClock snapshot, Object state, Update update, Set<Bytes> certified) {
    CompletionStage<VectorClock> committed =
        partition.commitAsync(
            part(TransactionMetadata.none(), snapshot, write(snapshot, state, update), certified)
                .toRequest(),
            Runnable::run);
    partition.flushGroup();
    return committed.toCompletableFuture().join();
  }

  private static CommitRequest.ObjectWrite write(
      VectorClock snapshot, Object state, Update update) {
    Object effect =
        CallTypes.downstream(
            KEY.type(),
            update.operation(),
            state,
            new OperationContext(LOCAL.number(), snapshot, new SelfDots()));
    return new CommitRequest.ObjectWrite(
        KEY.id(), KEY.type(), List.of(effect), List.of(CallTypes.encodeEffect(KEY.type(), effect)));
  }

  private TransactionPart part(
      TransactionMetadata facts,
      VectorClock snapshot,
      CommitRequest.ObjectWrite write,
      Set<Bytes> certified) {
    return TransactionPart.of(
        new CommitRequest.Part(
            LOCAL.number(), snapshot, partition.pruneFrontier(snapshot), List.of(write), certified),
        facts);
  }

  private TransactionPart part(TransactionMetadata facts, VectorClock snapshot) {
    CommitRequest.ObjectWrite write = write(snapshot, KEY.type().initial(), KEY.increment(1));
    return part(facts, snapshot, write, Set.of());
  }

  private long read() {
    return read(snapshot(ARRIVED));
  }

  private long read(VectorClock snapshot) {
    return KEY.view(partition.versionAt(KEY.id(), snapshot).orElseThrow().state(), snapshot);
  }

  private void checkpoint() {
    assertThat(partition.maintain()).isEmpty();
  }

  private VectorClock frontier() {
    try (var view = partition.checkpoints()) {
      return view.checkpoints().get(0).pruneFrontier();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aResetRemovesNothingBeyondItsSnapshot(boolean isIndexOn) {
    open(isIndexOn);
    VectorClock added = commit(snapshot(ARRIVED), KEY.increment(5));
    VectorClock lacking = added.with(OTHER, ARRIVED - 1);
    ActiveSnapshots.Registration claim = active.register(lacking);
    checkpoint();
    assertThat(LOCAL.timeIn(frontier())).isLessThan(LOCAL.timeIn(added));
    commit(lacking, KEY.reset());
    claim.end();

    assertThat(read()).isEqualTo(5);
    checkpoint();
    commit(snapshot(ARRIVED), KEY.increment(2));
    checkpoint();
    assertThat(read()).isEqualTo(7);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void refusesASnapshotWithoutTheDependenciesOfPrunedDots(boolean isIndexOn) {
    open(isIndexOn);
    VectorClock added = commit(snapshot(ARRIVED), KEY.increment(5));
    checkpoint();
    open(isIndexOn);

    assertThat(LOCAL.with(frontier(), 0)).isEqualTo(VectorClock.ZERO.with(OTHER, ARRIVED));
    assertThat(LOCAL.timeIn(frontier())).isEqualTo(isIndexOn ? LOCAL.timeIn(added) : 0);
    assertThatThrownBy(() -> commit(added.with(OTHER, ARRIVED - 1), KEY.reset()))
        .isInstanceOf(SnapshotTruncatedException.class);
    assertThat(read()).isEqualTo(5);
  }

  @Test
  void refusesASnapshotBelowTheFrontierAlsoAfterAnOpening() {
    retention = Duration.ofDays(1);
    open(true);
    VectorClock old = commit(snapshot(ARRIVED), KEY.increment(5));
    VectorClock added = commit(snapshot(ARRIVED), KEY.increment(5));
    checkpoint();
    open(true);

    assertThat(frontier()).isEqualTo(added);
    assertThatThrownBy(() -> commit(old, KEY.reset()))
        .isInstanceOf(TransactionExpiredException.class);
    assertThat(read()).isEqualTo(10);
  }

  /** The other data centre prunes by the promise, so a restart must remember it. */
  @Test
  void refusesASnapshotBelowAPromiseAlsoAfterAPowerCut() {
    others = Set.of(OTHER);
    open(true);
    VectorClock old = commit(snapshot(ARRIVED), KEY.increment(5));
    VectorClock added = commit(snapshot(ARRIVED), KEY.increment(5));
    VectorClock promised = partition.streams().promise(snapshot(ARRIVED)).vector();
    assertThat(promised).isEqualTo(added);

    open(disk.afterPowerCut(new Random(1), 0), true);

    assertThatThrownBy(() -> commit(old, KEY.reset()))
        .isInstanceOf(TransactionExpiredException.class);
    assertThat(read()).isEqualTo(10);
    commit(snapshot(ARRIVED), KEY.reset());
    assertThat(read()).isZero();
  }

  @Test
  void doesNotRewriteAPromiseThatAddsNothing() {
    others = Set.of(OTHER);
    open(true);
    commit(snapshot(ARRIVED), KEY.increment(5));
    partition.streams().promise(snapshot(ARRIVED));
    long records = partition.journalStatus().nextRecord();

    partition.streams().promise(snapshot(ARRIVED));
    partition.streams().recordReached();

    assertThat(partition.journalStatus().nextRecord()).isEqualTo(records);
  }

  /** An increment of another data centre arrives. */
  private void arrive(long time, long amount) {
    List<byte[]> effects =
        write(VectorClock.ZERO, KEY.type().initial(), KEY.increment(amount)).encoded();
    LossyDisk left = disk.afterKill();
    partition.close();
    disk = Arrivals.add(left, OTHER, time, List.of(new TransactionRecord.Entry(KEY.id(), effects)));
    partition = opened(true);
  }

  @Test
  void arrivalsAreVisibleFromTheirTimeInTheirEntry() {
    VectorClock added = commit(snapshot(ARRIVED), KEY.increment(5));
    arrive(ARRIVED + 10, 2);

    assertThat(read(added)).isEqualTo(5);
    assertThat(read(added.with(OTHER, ARRIVED + 9))).isEqualTo(5);
    assertThat(read(added.with(OTHER, ARRIVED + 10))).isEqualTo(7);
    assertThat(read(snapshot(ARRIVED + 10).with(LOCAL.number(), 0))).isEqualTo(2);
    checkpoint();
    assertThat(partition.stable()).isEqualTo(added.with(OTHER, ARRIVED + 10));
    assertThat(read(added.with(OTHER, ARRIVED + 10))).isEqualTo(7);
  }

  @Test
  void certifiesOnlyAgainstCommitsOfTheOwnDataCentre() {
    VectorClock added = commit(snapshot(ARRIVED), KEY.increment(5));
    arrive(ARRIVED + 10, 2);
    Object state = partition.versionAt(KEY.id(), added).orElseThrow().state();

    commit(added, state, KEY.increment(1), Set.of(KEY.id()));

    assertThatThrownBy(() -> commit(added, state, KEY.increment(1), Set.of(KEY.id())))
        .isInstanceOf(ConflictException.class);
  }

  @Test
  void aReadWaitsForMissingArrivals() {
    VectorClock added = commit(snapshot(ARRIVED), KEY.increment(5));

    assertThat(partition.isSettled(KEY.id(), added)).isTrue();
    assertThat(partition.isSettled(KEY.id(), added.with(OTHER, ARRIVED + 1))).isFalse();
    assertThat(partition.isSettled(KEY.id(), added.with(0, 1))).isFalse();
  }

  @Test
  void refusesATransactionThatReadMissingArrivals() {
    VectorClock ahead = snapshot(ARRIVED + 1);

    assertThatThrownBy(() -> commit(ahead, KEY.type().initial(), KEY.increment(5)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("of other data centres have arrived only up to");
    assertThat(partition.stable().get(OTHER)).isEqualTo(ARRIVED);
    open(true);
    assertThat(partition.stable().get(OTHER)).isEqualTo(ARRIVED);
  }

  @Test
  void theDependenciesOfATransactionCountAsArrivedAfterAnOpening() {
    others = Set.of(OTHER);
    open(true);
    hear(ARRIVED + 5);
    assertThat(partition.stable().get(OTHER)).isEqualTo(ARRIVED + 5);
    open(true);
    assertThat(partition.stable().get(OTHER)).isEqualTo(ARRIVED);

    hear(ARRIVED + 5);
    VectorClock added = commit(snapshot(ARRIVED + 5), KEY.type().initial(), KEY.increment(5));
    open(true);
    assertThat(partition.stable()).isEqualTo(added);
  }

  /** The other data centre reports that it has committed nothing since. */
  private void hear(long time) {
    StreamBatch heartbeat = new StreamBatch(OTHER, ARRIVED, time, List.of(), VectorClock.ZERO);
    assertThat(partition.streams().receive(heartbeat)).isEqualTo(PartitionStreams.Receipt.TAKEN);
  }

  @Test
  void commitTimesAreAboveArrivals() {
    long arrived = ahead().get(OTHER);
    arrive(arrived, 2);

    assertThat(LOCAL.timeIn(commit(snapshot(ARRIVED), KEY.increment(1)))).isGreaterThan(arrived);
  }

  @Test
  void aPreparedTransactionSurvivesACheckpointOfLaterTimesOfAnotherDataCentre() {
    TransactionId id = new TransactionId(1, 1, 1);
    receive(
        new Message.Prepare(
            driver, part(TransactionMetadata.participant(id, List.of()), snapshot(ARRIVED))));
    arrive(ahead().get(OTHER), 2);
    checkpoint();
    open(true);

    assertThat(partition.inDoubt()).containsExactly(id);
  }

  @Test
  void aStreamIsInCommitTimeOrderEvenIfOutcomesAreLate() {
    TransactionId id = new TransactionId(1, 1, 1);
    receive(
        new Message.Prepare(
            driver, part(TransactionMetadata.participant(id, List.of()), snapshot(ARRIVED))));
    long earlier = ((Message.Prepared) answers.get(0)).time();
    long later = LOCAL.timeIn(commit(snapshot(ARRIVED), KEY.type().initial(), KEY.increment(1)));
    StreamReader stream = partition.streams().read(LOCAL.number(), StreamReader.Start.BEGINNING);
    StreamReader.Chunk before = stream.read(1 << 20);
    assertThat(before.records()).isEmpty();
    assertThat(before.through()).isLessThan(earlier);

    receive(new Message.Commit(id, earlier));

    assertThat(stream.read(1 << 20).records())
        .extracting(record -> TransactionRecord.commit(record, 0).time())
        .containsExactly(earlier, later);
  }

  @Test
  void allTimesAreAboveASnapshotsEntriesOfOtherDataCentres() {
    others = Set.of(OTHER);
    open(true);
    allTimesAreAbove(() -> heard(ahead()), snapshot -> snapshot.get(OTHER));
  }

  /** Another node of this data centre issued the snapshot, so the clock here was not advanced. */
  @Test
  void allTimesAreAboveTheOwnEntryOfASnapshot() {
    allTimesAreAbove(this::issuedElsewhere, LOCAL::timeIn);
  }

  /** The times of a commit, a prepared part and a decision, each above an entry of its snapshot. */
  private void allTimesAreAbove(
      Supplier<VectorClock> snapshots, ToLongFunction<VectorClock> entry) {
    VectorClock first = snapshots.get();
    assertThat(LOCAL.timeIn(commit(first, KEY.type().initial(), KEY.increment(1))))
        .isGreaterThan(entry.applyAsLong(first));

    VectorClock second = snapshots.get();
    TransactionId id = new TransactionId(1, 1, 1);
    receive(
        new Message.Prepare(driver, part(TransactionMetadata.participant(id, List.of()), second)));
    assertThat(((Message.Prepared) answers.get(0)).time()).isGreaterThan(entry.applyAsLong(second));

    VectorClock third = snapshots.get();
    receive(new Message.Open(driver, 7, Optional.empty()));
    TransactionId other = ((Message.Opened) answers.get(1)).id();
    receive(
        new Message.Decide(
            driver,
            0,
            part(TransactionMetadata.decision(other, List.of(2), Optional.empty()), third)));
    assertThat(((Message.Decided) answers.get(2)).time()).isGreaterThan(entry.applyAsLong(third));
  }

  @Test
  void laterCommitsAreAboveReadTimesAlsoAfterAKill() {
    VectorClock before = snapshot(ARRIVED);
    VectorClock read = issuedElsewhere();
    assertThat(partition.versionAt(KEY.id(), read)).isEmpty();
    assertThat(LOCAL.timeIn(commit(before, KEY.type().initial(), KEY.increment(1))))
        .isGreaterThan(LOCAL.timeIn(read));

    VectorClock later = issuedElsewhere();
    assertThat(partition.versionAt(KEY.id(), later)).isPresent();
    open(true);
    assertThat(LOCAL.timeIn(commit(before, KEY.type().initial(), KEY.increment(1))))
        .isGreaterThan(LOCAL.timeIn(later));
  }

  @Test
  void theClockIsAboveIdleTimesOfOthers() {
    others = Set.of(OTHER);
    open(true);
    long issued = heard(ahead()).get(OTHER);

    assertThat(LOCAL.timeIn(partition.now())).isGreaterThanOrEqualTo(issued);

    partition.streams().recordReached();
    open(true);
    assertThat(LOCAL.timeIn(partition.now())).isGreaterThanOrEqualTo(issued);
  }

  private VectorClock heard(VectorClock vector) {
    hear(vector.get(OTHER));
    return vector;
  }

  /** A snapshot with a time of another data centre that is ahead of the clock. */
  private VectorClock ahead() {
    return snapshot(later(10));
  }

  /** A snapshot whose own time is further ahead than the clock starts after a kill. */
  private VectorClock issuedElsewhere() {
    return LOCAL.with(partition.stable(), later(60));
  }

  private long later(int seconds) {
    long millis = Timestamp.epochMillis(LOCAL.timeIn(partition.now())) + seconds * 1_000L;
    return Timestamp.of(Timestamp.countAt(millis), 0);
  }

  private void receive(Message.ToPartition message) {
    partition.receive(message);
    partition.flushGroup();
  }
}
