package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.FoundObject;
import io.github.stablecut.internal.materializer.ScanPlan;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.replica.ReplicaMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** A replica serves snapshots that it knows to be complete, whichever replica leads. */
final class ReplicasNearTest extends ThreeReplicas {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(100);
  private static final int READERS = 3;

  /** The number of reads from replicas between failovers. */
  private static final int ENOUGH = 300;

  private volatile boolean areAnswersLost;
  private volatile boolean isEnd;

  @Override
  void pass(String from, String to, ReplicaMessage message) {
    if (!areAnswersLost || !(message instanceof ReplicaMessage.Acknowledged)) {
      super.pass(from, to, message);
    }
  }

  private static long time(VectorClock vector) {
    return LocalDataCentre.FIRST.timeIn(vector);
  }

  private static VectorClock at(long time) {
    return LocalDataCentre.FIRST.with(VectorClock.ZERO, time);
  }

  private static long value(Optional<Version> version, VectorClock at) {
    return version.map(found -> KEY.view(found.state(), at)).orElse(0L);
  }

  /** A following replica's answer; empty if it does not know that snapshot. */
  private static Optional<Long> read(Node follower, long time) {
    VectorClock at = at(time);
    return follower.replica.read(at, reads -> value(reads.versionAt(KEY.id(), at), at));
  }

  /** Waits for it: on a busy machine a replica may hear nothing of its leader for a while. */
  private static long near(Node node, long contained) {
    OptionalLong known = node.replica.near(contained, LONG);
    while (known.isEmpty()) {
      LockSupport.parkNanos(1_000_000);
      known = node.replica.near(contained, LONG);
    }
    return known.getAsLong();
  }

  private Node follower(Node leader) {
    return node(leader.name.equals("b") ? "c" : "b");
  }

  private static long increment(Node leader) {
    return time(increment(partition(leader)).join());
  }

  @Test
  void aReplicaAnswersFromItsKnowledgeWithoutALeader() {
    startAll();
    Node leader = leader();
    incrementBy(leader, 4);
    Node follower = follower(leader);
    long last = increment(leader);
    assertThat(near(follower, last)).isGreaterThanOrEqualTo(last);

    cutOff.addAll(NAMES);

    long known = near(follower, last);
    assertThat(read(follower, known)).contains(5L);
    assertThat(near(follower, 0)).isGreaterThanOrEqualTo(known);
  }

  @Test
  void aReplicaDoesNotReadUnheardTimesAndWaitsForThem() {
    startAll();
    Node leader = leader();
    long first = increment(leader);
    Node follower = follower(leader);
    long known = near(follower, first);
    cutOff.add(follower.name);
    long second = increment(leader);

    assertThat(follower.replica.near(second, SHORT).orElseThrow()).isLessThan(second);
    assertThat(read(follower, second)).isEmpty();
    assertThat(read(follower, known)).contains(1L);
    cutOff.clear();

    assertThat(near(follower, second)).isGreaterThanOrEqualTo(second);
    assertThat(read(follower, second)).contains(2L);
  }

  @Test
  void timePassesForReadersWithoutCommits() {
    startAll();
    Node leader = leader();
    long last = increment(leader);
    Node follower = follower(leader);
    long known = near(follower, last);

    until("time passes", () -> near(follower, 0) > known);

    assertThat(read(follower, known)).contains(1L);
  }

  @Test
  void doesNotReadUncommittedRecords() {
    startAll();
    Node leader = leader();
    long first = increment(leader);
    Node follower = follower(leader);
    untilAllAgree(leader);
    long before = follower.replica.status().next();
    areAnswersLost = true;
    increment(partition(leader), partition(leader).stable());
    until("the follower has it", () -> follower.replica.status().next() > before);

    long known = near(follower, first);

    assertThat(read(follower, known)).contains(1L);
    areAnswersLost = false;
  }

  @Test
  void scansAFollowingReplica() {
    startAll();
    Node leader = leader();
    long last = increment(leader);
    Node follower = follower(leader);
    VectorClock at = at(near(follower, last));

    Optional<FoundObject> found =
        follower.replica.read(at, reads -> reads.scan(ScanPlan.ofAll(), at).next().orElseThrow());

    assertThat(found.orElseThrow().id()).isEqualTo(KEY.id());
  }

  @Test
  void servesNothingNearWhereNothingIsKnown() {
    cutOff.addAll(NAMES);
    startAll();

    assertThat(node("a").replica.near(0, Duration.ZERO)).isEmpty();
  }

  @Test
  void aFormerLeaderReadsItsIssuedTimesWhicheverReplicaLeadsNext() {
    startAll();
    Node leader = leader();
    incrementBy(leader, 4);
    long known = near(leader, increment(leader));

    cutOff.addAll(NAMES);
    until("it leads no more", () -> leader.leading == null);

    until("it has what it had", () -> read(leader, known).isPresent());
    assertThat(read(leader, known)).contains(5L);
  }

  @Test
  void noTimePassesBeyondAClockCeilingUntilTheNextOneIsDurable() {
    startAll();
    Node leader = leader();
    long first = increment(leader);
    partition(leader).endClock();
    untilAllAgree(leader);
    areAnswersLost = true;
    long issued = near(leader, first);

    for (int i = 0; i < 20; i++) {
      LockSupport.parkNanos(1_000_000);
      assertThat(near(leader, 0)).isEqualTo(issued);
    }

    areAnswersLost = false;
    until("time passes", () -> near(leader, 0) > issued);
  }

  @Test
  void readsALeadingReplicaLocally() {
    startAll();
    Node leader = leader();
    long first = increment(leader);

    long known = near(leader, first);

    assertThat(known).isGreaterThanOrEqualTo(first);
    assertThat(read(leader, known)).isEmpty();
  }

  /** A value read at a time, to be compared with the leader's value at that time. */
  private record Sample(long time, long found) {}

  /** A client that moves between replicas and carries its observed time along. */
  private final class Reader {
    private final Random random;
    private final Queue<Sample> samples;
    private long seenAt;
    private long seen;

    Reader(int number, Queue<Sample> samples) {
      this.random = new Random(number);
      this.samples = samples;
    }

    void work() {
      while (!isEnd) {
        Node node = node(NAMES.get(random.nextInt(NAMES.size())));
        OptionalLong near = node.replica.near(seenAt + 1, SHORT);
        if (near.isPresent() && near.getAsLong() > seenAt) {
          look(near.getAsLong(), find(node, near.getAsLong()));
        }
      }
    }

    private Optional<Long> find(Node node, long time) {
      Optional<Long> found = read(node, time);
      Partition leading = node.leading;
      if (found.isPresent() || leading == null) {
        return found;
      }
      try {
        return Optional.of(value(leading.versionAt(KEY.id(), at(time)), at(time)));
      } catch (StablecutException e) {
        return Optional.empty();
      }
    }

    private void look(long time, Optional<Long> found) {
      if (found.isPresent()) {
        assertThat(found.get()).isGreaterThanOrEqualTo(seen);
        seen = found.get();
        seenAt = time;
        samples.add(new Sample(time, seen));
      }
    }
  }

  @Test
  void allReplicasReadTheSameAtATimeAndNoReaderGoesBack() throws Exception {
    startAll();
    Queue<Sample> samples = new ConcurrentLinkedQueue<>();
    ExecutorService readers = Executors.newFixedThreadPool(READERS);
    List<Future<?>> reading = new ArrayList<>();
    for (int i = 0; i < READERS; i++) {
      Reader reader = new Reader(i, samples);
      reading.add(readers.submit(reader::work));
    }
    for (int round = 0; round < 3; round++) {
      Node leader = leader();
      int before = samples.size();
      until(
          "replicas are read",
          () -> {
            incrementIfLeading(leader);
            return samples.size() > before + ENOUGH;
          });
      cutOff.add(leader.name);
      Node next = leader();
      incrementIfLeading(next);
      cutOff.clear();
    }
    isEnd = true;
    for (Future<?> one : reading) {
      one.get();
    }
    readers.shutdown();

    Node last = leader();
    incrementIfLeading(last);
    for (Sample sample : samples) {
      VectorClock at = at(sample.time);
      assertThat(value(partition(last).versionAt(KEY.id(), at), at))
          .as("at %d", sample.time)
          .isEqualTo(sample.found);
    }
    assertThat(samples.stream().mapToLong(Sample::found).max().orElseThrow()).isGreaterThan(10);
  }

  private static void incrementIfLeading(Node node) {
    Partition leading = node.leading;
    if (leading != null) {
      try {
        increment(leading).join();
      } catch (RuntimeException e) {
        // It no longer leads.
      }
    }
  }
}
