package io.github.stablecut.internal.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.counter.PnCounter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commits that watches of stores of several partitions receive. */
final class WatchDispatcherTest {
  private static final int WRITERS = 3;
  private static final int WRITES = 500;

  private final WatchMemory memory = new WatchMemory(Long.MAX_VALUE);
  private final ConcurrentSkipListMap<Long, Set<Bytes>> written = new ConcurrentSkipListMap<>();
  private List<MinimalPartition> partitions = List.of();

  @GuardedBy("this")
  private long clock;

  private WatchDispatcher start(int number, long maxBytes) {
    List<MinimalPartition> made = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      made.add(new MinimalPartition(i, maxBytes));
    }
    partitions = made;
    return new WatchDispatcher(LocalDataCentre.FIRST, List.copyOf(made), 100);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void eachWatchReceivesEveryTransactionWholeOnceAndInOrder(int number) {
    try (WatchDispatcher dispatcher = start(number, Long.MAX_VALUE)) {
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int writer = 0; writer < WRITERS; writer++) {
        int seed = writer;
        all.add(CompletableFuture.runAsync(() -> write(new Random(seed))));
      }
      for (int watcher = 0; watcher < 3; watcher++) {
        int seed = watcher;
        all.add(CompletableFuture.runAsync(() -> follow(dispatcher, new Random(seed))));
      }
      all.forEach(CompletableFuture::join);
    }
  }

  private void write(Random random) {
    for (int i = 0; i < WRITES; i++) {
      List<MinimalPartition> shuffled = new ArrayList<>(partitions);
      Collections.shuffle(shuffled, random);
      List<MinimalPartition> chosen = shuffled.subList(0, 1 + random.nextInt(shuffled.size()));
      long time = prepare(chosen);
      chosen.forEach(partition -> partition.commit(List.of(time)));
    }
  }

  /** Gives a transaction its time, and prepares it everywhere before any later one. */
  private synchronized long prepare(List<MinimalPartition> chosen) {
    long time = ++clock;
    Set<Bytes> ids = Set.copyOf(chosen.stream().map(MinimalPartition::id).toList());
    written.put(time, ids);
    chosen.forEach(partition -> partition.prepare(time));
    return time;
  }

  /** Takes all transactions in several watches, one after the other. */
  private void follow(WatchDispatcher dispatcher, Random random) {
    List<Long> delivered = new ArrayList<>();
    VectorClock position = VectorClock.ZERO;
    while (delivered.size() < WRITERS * WRITES) {
      WatchBuffer buffer = new WatchBuffer(CommitFilter.of(IdRange.all()), 1 + random.nextInt(100));
      try (WatchReader reader = WatchReader.after(dispatcher, buffer, position)) {
        int most = random.nextInt(200);
        for (int i = 0; i < most && delivered.size() < WRITERS * WRITES; i++) {
          Optional<OrderedCommit> next = reader.poll(soon());
          if (next.isEmpty()) {
            assertThat(reader.end()).contains(WatchReader.End.OVERFLOWED);
            break;
          }
          delivered.add(next.get().writes().time());
          assertThat(next.get().writes().objects())
              .extracting(CommittedWrites.WrittenObject::id)
              .containsExactlyInAnyOrderElementsOf(written.get(next.get().writes().time()));
        }
        position = reader.position();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
    assertThat(delivered)
        .containsExactlyElementsOf(LongStream.rangeClosed(1, WRITERS * WRITES).boxed().toList());
  }

  private static long soon() {
    return System.nanoTime() + Duration.ofSeconds(30).toNanos();
  }

  @Test
  void aWatchFromNowOnReceivesLaterCommits() throws InterruptedException {
    try (WatchDispatcher dispatcher = start(2, Long.MAX_VALUE)) {
      commit(partitions);
      WatchBuffer buffer = new WatchBuffer(CommitFilter.of(IdRange.all()), 10);
      try (WatchReader reader = WatchReader.fromNow(dispatcher, buffer, VectorClock.of(1))) {
        long onlyTheFirst = commit(partitions.subList(0, 1));
        long both = commit(partitions);

        assertThat(reader.poll(soon()).orElseThrow().writes().time()).isEqualTo(onlyTheFirst);
        assertThat(reader.poll(soon()).orElseThrow().writes().time()).isEqualTo(both);
      }
    }
  }

  @CanIgnoreReturnValue
  private long commit(List<MinimalPartition> chosen) {
    long time = prepare(chosen);
    chosen.forEach(partition -> partition.commit(List.of(time)));
    return time;
  }

  /** A partition that runs an action when the dispatcher reads its state. */
  private abstract static class SourceDecorator implements CommitSource {
    final MinimalPartition partition;

    SourceDecorator(int number) {
      partition = new MinimalPartition(number, Long.MAX_VALUE);
    }

    @Override
    public CommitFeed feed() {
      return partition.feed();
    }

    @Override
    public VectorClock stable() {
      return partition.stable();
    }

    @Override
    public VectorClock stableAfter(VectorClock vector) {
      return partition.stableAfter(vector);
    }

    @Override
    public CommitHistory history(VectorClock after, CommitFilter wanted) {
      return partition.history(after, wanted);
    }
  }

  /** Records the vector that the creating thread asked it to reach. */
  private static final class TargetRecorder extends SourceDecorator {
    private final Thread maker = Thread.currentThread();
    private VectorClock reached = VectorClock.ZERO;

    TargetRecorder() {
      super(0);
    }

    @Override
    public VectorClock stableAfter(VectorClock vector) {
      if (Thread.currentThread().equals(maker)) {
        reached = reached.join(vector);
      }
      return partition.stableAfter(vector);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {5, 9})
  void aWatchFromNowOnStartsWhereNoPartitionCommitsAnyLonger(long acknowledged) {
    TargetRecorder idle = new TargetRecorder();
    MinimalPartition busy = new MinimalPartition(1, Long.MAX_VALUE);
    busy.commit(List.of(7L));
    WatchBuffer buffer = new WatchBuffer(CommitFilter.of(IdRange.all()), 10);
    VectorClock expected = VectorClock.of(Math.max(7, acknowledged));
    try (WatchDispatcher dispatcher =
            new WatchDispatcher(LocalDataCentre.FIRST, List.of(idle, busy), 1);
        WatchReader reader =
            WatchReader.fromNow(dispatcher, buffer, VectorClock.of(acknowledged))) {
      assertThat(reader.position().max()).isGreaterThanOrEqualTo(expected.max());
      assertThat(idle.reached).isEqualTo(expected);
    }
  }

  /** An idle partition that advances right after each reading, without notification. */
  private static final class AdvancingSource extends SourceDecorator {
    private volatile VectorClock to = VectorClock.ZERO;

    AdvancingSource() {
      super(1);
    }

    @Override
    public VectorClock stable() {
      VectorClock seen = partition.stable();
      partition.stableAfter(to);
      return seen;
    }
  }

  @Test
  void deliversACommitThoughAnIdlePartitionAdvancesBetweenTwoReadings()
      throws InterruptedException {
    MinimalPartition busy = new MinimalPartition(0, Long.MAX_VALUE);
    AdvancingSource idle = new AdvancingSource();
    try (WatchDispatcher dispatcher =
            new WatchDispatcher(LocalDataCentre.FIRST, List.of(busy, idle), 1);
        WatchReader reader =
            WatchReader.fromNow(
                dispatcher,
                new WatchBuffer(CommitFilter.of(IdRange.all()), 1_000),
                VectorClock.ZERO)) {
      for (long time = 1; time <= 200; time++) {
        busy.prepare(time);
        idle.to = VectorClock.of(time);
        busy.commit(List.of(time));

        assertThat(reader.poll(soon()).orElseThrow().writes().time()).isEqualTo(time);
      }
    }
  }

  /** A partition at which the dispatching thread waits for a lock, while another one commits. */
  private static final class ContendedSource extends SourceDecorator {
    private final AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});

    ContendedSource() {
      super(1);
    }

    @Override
    public VectorClock stable() {
      meanwhile.getAndSet(() -> {}).run();
      // Like a contended lock: it consumes the thread's wake-up.
      LockSupport.parkNanos(this, 1);
      return partition.stable();
    }
  }

  @Test
  void deliversACommitThoughTheThreadWaitsForALockWhenWoken() throws InterruptedException {
    MinimalPartition busy = new MinimalPartition(0, Long.MAX_VALUE);
    ContendedSource contended = new ContendedSource();
    try (WatchDispatcher dispatcher =
            new WatchDispatcher(LocalDataCentre.FIRST, List.of(busy, contended), 1);
        WatchReader reader =
            WatchReader.fromNow(
                dispatcher,
                new WatchBuffer(CommitFilter.of(IdRange.all()), 1_000),
                VectorClock.ZERO)) {
      busy.prepare(1);
      contended.meanwhile.set(() -> busy.commit(List.of(1L)));
      busy.feed().wake();

      assertThat(reader.poll(soon()).orElseThrow().writes().time()).isEqualTo(1);
    }
  }

  @Test
  void aFeedReportsTheNewestCommitAlsoAfterAnOlderOutcome() {
    CommitFeed feed = new CommitFeed(VectorClock.of(1), 1 << 20);
    feed.publish(List.<CommittedTransaction>of(), Optional::of, VectorClock.of(20));
    feed.publish(List.<CommittedTransaction>of(), Optional::of, VectorClock.of(10));

    assertThat(feed.newest()).isEqualTo(VectorClock.of(20));
  }

  @Test
  void keepsEffectsOfTheJournalThatThePresentLacks() {
    CommittedWrites with = writes(List.of(Bytes.utf8("e")));
    CommittedWrites without = writes(List.of());
    for (List<CommittedWrites> order :
        List.of(List.of(with, without), List.of(without, with), List.of(with, with))) {
      CommitMerger merger = new CommitMerger(LocalDataCentre.FIRST, 1, VectorClock.ZERO);
      order.forEach(merger::add);
      merger.complete(0, with.at());

      assertThat(merger.heldBytes()).isEqualTo(2);
      assertThat(merger.release()).extracting(OrderedCommit::writes).containsExactly(with);
      assertThat(merger.heldBytes()).isZero();
    }
  }

  private static CommittedWrites writes(List<Bytes> effects) {
    return new CommittedWrites(
        VectorClock.of(5),
        Set.of(new CommittedWrites.WrittenObject(Bytes.utf8("k"), PnCounter.TYPE, effects)));
  }

  @Test
  void effectsAboveTheBufferLimitEndTheWatchThatWantsThem() throws InterruptedException {
    Bytes half = Bytes.wrap(new byte[(int) (WatchBuffer.MAX_BYTES / 2 - 1)]);
    List<Bytes> most = List.of(half, Bytes.EMPTY);
    WatchBuffer buffer = new WatchBuffer(new CommitFilter(IdRange.all(), true), 10);
    WatchBuffer named = new WatchBuffer(CommitFilter.of(IdRange.all()), 10);
    for (long time = 1; time <= 3; time++) {
      CommittedWrites writes =
          new CommittedWrites(
              VectorClock.of(time),
              Set.of(new CommittedWrites.WrittenObject(Bytes.utf8("k"), PnCounter.TYPE, most)));
      buffer.offer(writes, memory.charge(writes), writes.at());
      named.offer(writes, memory.charge(writes), writes.at());
    }

    assertThat(buffer.state()).isEqualTo(WatchBuffer.State.OVERFLOWED);
    WatchBuffer.CommitBatch left = buffer.take(soon(), Optional.empty());
    assertThat(left.commits()).as("memory that nobody may need").isEmpty();
    assertThat(left.complete()).isEqualTo(VectorClock.ZERO);
    assertThat(named.state()).isEqualTo(WatchBuffer.State.OPEN);
    assertThat(named.take(soon(), Optional.empty()).commits())
        .hasSize(3)
        .allMatch(writes -> writes.bytes() == 1);
  }

  @Test
  void namesAboveTheBufferLimitEndTheWatch() throws InterruptedException {
    Bytes half = Bytes.wrap(new byte[(int) (WatchBuffer.MAX_BYTES / 2)]);
    WatchBuffer buffer = new WatchBuffer(CommitFilter.of(IdRange.all()), 10);
    for (long time = 1; time <= 3; time++) {
      CommittedWrites writes =
          new CommittedWrites(
              VectorClock.of(time),
              Set.of(new CommittedWrites.WrittenObject(half, PnCounter.TYPE)));
      buffer.offer(writes, memory.charge(writes), writes.at());
    }

    assertThat(buffer.state()).isEqualTo(WatchBuffer.State.OVERFLOWED);
    assertThat(buffer.take(soon(), Optional.empty()).commits()).isEmpty();
  }

  @Test
  void anIdlePartitionIsNotThePresentOfOthersWithALongPast() throws InterruptedException {
    try (WatchDispatcher dispatcher = start(2, Long.MAX_VALUE)) {
      for (int i = 0; i < 50; i++) {
        commit(partitions.subList(1, 2));
      }
      WatchBuffer buffer = new WatchBuffer(CommitFilter.of(IdRange.all()), 1);
      try (WatchReader reader = WatchReader.after(dispatcher, buffer, VectorClock.ZERO)) {
        assertThat(reader.poll(soon()).orElseThrow().writes().time()).isEqualTo(1);
        for (int i = 0; i < 50; i++) {
          commit(partitions.subList(1, 2));
        }
        for (long time = 2; time <= 100; time++) {
          assertThat(reader.poll(soon()).orElseThrow().writes().time()).isEqualTo(time);
        }
        assertThat(reader.end()).isEmpty();
      }
    }
  }

  @Test
  void deliversNothingBehindAnUndecidedTransaction() throws InterruptedException {
    try (WatchDispatcher dispatcher = start(2, Long.MAX_VALUE)) {
      WatchBuffer buffer = new WatchBuffer(CommitFilter.of(IdRange.all()), 10);
      try (WatchReader reader = WatchReader.fromNow(dispatcher, buffer, VectorClock.ZERO)) {
        long undecided = prepare(partitions);
        partitions.get(0).commit(List.of(undecided));
        long later = commit(partitions.subList(0, 1));

        assertThat(reader.poll(System.nanoTime() + Duration.ofMillis(20).toNanos())).isEmpty();
        partitions.get(1).commit(List.of(undecided));

        CommittedWrites first = reader.poll(soon()).orElseThrow().writes();
        assertThat(first.time()).isEqualTo(undecided);
        assertThat(first.objects()).hasSize(2);
        assertThat(reader.poll(soon()).orElseThrow().writes().time()).isEqualTo(later);
      }
    }
  }

  @Test
  void tooMuchWaitingForAStalledPartitionEndsTheWatches() throws Exception {
    List<MinimalPartition> both =
        List.of(new MinimalPartition(0, Long.MAX_VALUE), new MinimalPartition(1, Long.MAX_VALUE));
    partitions = both;
    try (WatchDispatcher dispatcher =
            new WatchDispatcher(
                LocalDataCentre.FIRST, List.copyOf(both), 100, 100, Long.MAX_VALUE);
        WatchReader reader =
            WatchReader.fromNow(
                dispatcher,
                new WatchBuffer(CommitFilter.of(IdRange.all()), 10),
                VectorClock.ZERO)) {
      long undecided = prepare(both.subList(0, 1));
      for (int i = 0; i < 200; i++) {
        commit(both.subList(1, 2));
      }

      assertThat(reader.poll(soon())).isEmpty();
      assertThat(reader.end()).contains(WatchReader.End.OVERFLOWED);
      assertThat(reader.position().max()).isLessThan(undecided);
    }
  }

  @Test
  void noGroupIsTooLargeForAnEmptyFeed() {
    CommitFeed feed = new CommitFeed(VectorClock.ZERO, 1);
    feed.open(() -> {});
    List<CommittedTransaction> group = List.of(committed(1), committed(2), committed(3));

    feed.publish(group, Optional::of, VectorClock.of(3));

    assertThat(feed.hasOverflowed()).isFalse();
    List<Long> taken = new ArrayList<>();
    feed.drainTo(commit -> taken.add(commit.commitVector().max()));
    assertThat(taken).containsExactly(1L, 2L, 3L);
    feed.publish(group, Optional::of, VectorClock.of(3));
    assertThat(feed.hasOverflowed()).isFalse();
    feed.publish(group, Optional::of, VectorClock.of(3));
    assertThat(feed.hasOverflowed()).as("while a group waits").isTrue();
  }

  private static CommittedTransaction committed(long time) {
    return new MinimalCommit(VectorClock.of(time), Bytes.utf8("k"));
  }

  @Test
  void holdsOneCommitHoweverLarge() {
    CommitMerger merger = new CommitMerger(LocalDataCentre.FIRST, 1, VectorClock.ZERO);
    merger.add(writes(5, 100));
    assertThat(merger.holdsMoreThan(10)).isFalse();

    merger.add(writes(6, 9));
    assertThat(merger.holdsMoreThan(10)).isFalse();

    merger.add(writes(7, 50));
    assertThat(merger.holdsMoreThan(10)).isTrue();
    assertThat(merger.holdsMoreThan(159)).isFalse();
  }

  private static CommittedWrites writes(long time, int bytes) {
    return new CommittedWrites(
        VectorClock.of(time),
        Set.of(
            new CommittedWrites.WrittenObject(
                Bytes.EMPTY, PnCounter.TYPE, List.of(Bytes.wrap(new byte[bytes])))));
  }

  @Test
  void anOverflowOfAFeedEndsTheWatchesAndIsFoundLater() throws InterruptedException {
    try (WatchDispatcher dispatcher = start(1, 1)) {
      WatchBuffer buffer = new WatchBuffer(CommitFilter.of(IdRange.all()), 1_000_000);
      VectorClock position;
      try (WatchReader reader = WatchReader.fromNow(dispatcher, buffer, VectorClock.ZERO)) {
        while (reader.end().isEmpty()) {
          List<Long> group = new ArrayList<>();
          for (int i = 0; i < 1000; i++) {
            group.add(prepare(partitions));
          }
          partitions.get(0).commit(group);
        }
        long delivered = 0;
        for (Optional<OrderedCommit> next = reader.poll(soon());
            next.isPresent();
            next = reader.poll(soon())) {
          assertThat(next.get().writes().time()).isEqualTo(++delivered);
        }
        assertThat(reader.end()).contains(WatchReader.End.OVERFLOWED);
        position = reader.position();
        assertThat(position.max()).isEqualTo(delivered);
      }

      WatchBuffer next = new WatchBuffer(CommitFilter.of(IdRange.all()), 10);
      try (WatchReader reader = WatchReader.after(dispatcher, next, position)) {
        for (long time = position.max() + 1; time <= written.lastKey(); time++) {
          assertThat(reader.poll(soon()).orElseThrow().writes().time()).isEqualTo(time);
        }
      }
    }
  }

  /** Commits while it is asked for its stable vector, and then inspects a buffer. */
  private static final class CommittingSource implements CommitSource {
    private final MinimalPartition partition = new MinimalPartition(0, Long.MAX_VALUE);
    private final CompletableFuture<WatchBuffer> armed = new CompletableFuture<>();
    private final CompletableFuture<Optional<VectorClock>> seen = new CompletableFuture<>();
    private boolean hasCommitted;

    @Override
    public CommitFeed feed() {
      return partition.feed();
    }

    @Override
    public synchronized VectorClock stable() {
      if (armed.isDone() && hasCommitted) {
        seen.complete(armed.join().takenUpTo());
      } else if (armed.isDone()) {
        hasCommitted = true;
        partition.prepare(1);
        partition.commit(List.of(1L));
      }
      return partition.stable();
    }

    @Override
    public VectorClock stableAfter(VectorClock vector) {
      return partition.stableAfter(vector);
    }

    @Override
    public CommitHistory history(VectorClock after, CommitFilter wanted) {
      return partition.history(after, wanted);
    }
  }

  @Test
  void noPositionIsAheadOfTheOfferedCommits() {
    CommittingSource source = new CommittingSource();
    WatchBuffer buffer = new WatchBuffer(CommitFilter.of(IdRange.all()), 10);
    try (WatchDispatcher dispatcher =
            new WatchDispatcher(LocalDataCentre.FIRST, List.of(source), 1);
        WatchReader reader = WatchReader.fromNow(dispatcher, buffer, VectorClock.ZERO)) {
      source.armed.complete(buffer);
      source.feed().wake();

      // None while the commit waits in the buffer; the one before if it is not there yet.
      assertThat(source.seen.join().orElse(VectorClock.ZERO)).isEqualTo(VectorClock.ZERO);
      assertThat(reader.position()).isEqualTo(VectorClock.ZERO);
    }
  }

  /** Throws once when the dispatcher asks for the stable vector. */
  private static final class Thrower implements CommitSource {
    private final MinimalPartition partition = new MinimalPartition(0, Long.MAX_VALUE);
    private final Error thrown;
    private volatile boolean isArmed;

    Thrower(Error thrown) {
      this.thrown = thrown;
    }

    @Override
    public CommitFeed feed() {
      return partition.feed();
    }

    @Override
    public VectorClock stable() {
      if (isArmed && Thread.currentThread().getName().equals("watch-dispatch")) {
        isArmed = false;
        throw thrown;
      }
      return partition.stable();
    }

    @Override
    public VectorClock stableAfter(VectorClock vector) {
      return partition.stableAfter(vector);
    }

    @Override
    public CommitHistory history(VectorClock after, CommitFilter wanted) {
      return partition.history(after, wanted);
    }
  }

  static List<Error> errors() {
    return List.of(
        new OutOfMemoryError("injected"),
        new StackOverflowError("injected"),
        new NoClassDefFoundError("injected"));
  }

  @ParameterizedTest
  @MethodSource("errors")
  void anErrorEndsWatchesAndNewOnesWork(Error error) throws InterruptedException {
    Thrower source = new Thrower(error);
    WatchBuffer buffer = new WatchBuffer(CommitFilter.of(IdRange.all()), 10);
    WatchBuffer later = new WatchBuffer(CommitFilter.of(IdRange.all()), 10);
    try (WatchDispatcher dispatcher =
            new WatchDispatcher(LocalDataCentre.FIRST, List.of(source), 2);
        WatchReader ended = WatchReader.fromNow(dispatcher, buffer, VectorClock.ZERO)) {
      source.isArmed = true;
      source.partition.commit(List.of(1L));

      assertThat(ended.poll(soon())).isEmpty();
      assertThat(ended.end()).contains(WatchReader.End.OVERFLOWED);
      try (WatchReader reader = WatchReader.after(dispatcher, later, ended.position())) {
        assertThat(reader.poll(soon()).orElseThrow().writes().time()).isEqualTo(1);
        source.partition.commit(List.of(2L));
        assertThat(reader.poll(soon()).orElseThrow().writes().time()).isEqualTo(2);
      }
      assertThat(dispatcher.problems())
          .singleElement()
          .asString()
          .contains("watch-dispatch", "injected");
    }
  }
}
