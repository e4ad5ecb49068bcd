package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.recovery.Member;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.replication.GroupState;
import io.github.stablecut.internal.replication.PartitionReplicator;
import io.github.stablecut.internal.replication.RecordedStableVector;
import io.github.stablecut.internal.replication.ReplicationMessage;
import io.github.stablecut.internal.replication.StoreActivity;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.transaction.SimulatedDataCentres.DataCentre;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * Three data centres replicate over links that lose, repeat, delay and reorder messages and are cut
 * for a while, one of them for good, while stores crash and forget: every commit arrives everywhere
 * once, directly or through the third data centre, and is in all checkpoints, including those of a
 * data centre that commits nothing.
 */
final class ReplicatorProperties {
  private static final int DATA_CENTRES = 3;
  private static final int PARTITIONS = SimulatedDataCentres.PARTITIONS;
  private static final int STEPS = 400;
  private static final long MILLI = 1_000_000;

  /** The longest time, in the simulation, until everything has arrived after the last fault. */
  private static final long MAX_SETTLING = 20_000 * MILLI;

  private Random random = new Random(0);
  private SimulatedDataCentres all = new SimulatedDataCentres(random, 0);
  private final List<List<PartitionReplicator>> replicators = new ArrayList<>();
  private DataCentreLinks links = new DataCentreLinks(random, DATA_CENTRES);
  private FaultLog faults = new FaultLog();

  /** How often a data centre was mistaken for one that was reset to an older state. */
  private int setBack;

  private boolean isCutForEver;

  /** The data centre that commits nothing; often none. */
  private int idle;

  private long creditBytes;
  private long nanos;

  @Property(tries = 100, shrinking = ShrinkingMode.OFF)
  void everyCommitArrivesEverywhereOnce(@ForAll long seed) {
    random = new Random(seed);
    links = new DataCentreLinks(random, DATA_CENTRES);
    replicators.clear();
    faults = new FaultLog();
    nanos = 1 + random.nextLong(MILLI);
    setBack = 0;
    creditBytes = 1L << (6 + random.nextInt(15));
    isCutForEver = random.nextInt(3) == 0;
    idle = random.nextInt(2 * DATA_CENTRES);
    try (SimulatedDataCentres made = new SimulatedDataCentres(random, DATA_CENTRES)) {
      all = made;
      for (DataCentre at : all.all()) {
        replicators.add(replicatorsOf(at));
        cut(at.local.number(), false);
      }
      for (int step = 0; step < STEPS; step++) {
        step();
      }
      settle();
    }
  }

  private List<PartitionReplicator> replicatorsOf(DataCentre at) {
    int number = at.local.number();
    TreeMap<Integer, Member> members = new TreeMap<>();
    for (int i = 0; i < DATA_CENTRES; i++) {
      members.put(i, new Member(i, Member.State.MEMBER, 0, ""));
    }
    GroupState group = new GroupState(number, new Membership(1, members), kept -> {}, saved -> {});
    PartitionReplicator.Context context =
        new PartitionReplicator.Context(
            creditBytes,
            group,
            (to, message) -> links.send(number, to, message, nanos),
            new StoreActivity(),
            at.store.partitions()::newest,
            new RecordedStableVector(PARTITIONS),
            time -> opening(at, time),
            other -> setBack++,
            faults);
    return IntStream.range(0, PARTITIONS)
        .mapToObj(partition -> new PartitionReplicator(at.partition(partition), context, nanos))
        .toList();
  }

  /** As if each opening had reported a later time than the one before it. */
  static long opening(DataCentre at, long time) {
    var begun = at.openings.lowerEntry(time);
    return begun == null ? 0 : begun.getValue();
  }

  private void cut(int number, boolean isNow) {
    for (int other = 0; other < DATA_CENTRES; other++) {
      boolean isForEver = isCutForEver && number + other == 1;
      links.cut(number, other, isForEver || isNow);
    }
  }

  private void step() {
    nanos += random.nextInt(20) * MILLI;
    DataCentre at = all.any();
    int kind = random.nextInt(100);
    if (kind < 22 && at.local.number() == idle) {
      all.check(at);
    } else if (kind < 8) {
      all.begin(at);
    } else if (kind < 22) {
      all.write(at);
    } else if (kind < 28) {
      all.commit(at);
    } else if (kind < 60) {
      deliver();
    } else if (kind < 90) {
      tick(at);
    } else if (kind < 93) {
      all.checkpoint(at);
    } else if (kind < 95) {
      at.reopen(random.nextBoolean());
      replicators.set(at.local.number(), replicatorsOf(at));
    } else if (kind < 97) {
      cut(at.local.number(), random.nextBoolean());
    } else {
      all.check(at);
    }
  }

  private void tick(DataCentre at) {
    replicators.get(at.local.number()).forEach(replicator -> replicator.tick(nanos));
  }

  private void deliver() {
    links.deliver(
        nanos,
        (to, message) -> {
          ReplicationMessage.OfStream ofStream = (ReplicationMessage.OfStream) message;
          replicators.get(to).get(ofStream.head().partition()).receive(ofStream, nanos);
        });
  }

  private void settle() {
    links.becomeReliable();
    for (int number = 0; number < DATA_CENTRES; number++) {
      cut(number, false);
    }
    all.commitAll();
    long end = nanos + MAX_SETTLING;
    while (!all.areEqual() && nanos < end) {
      advance();
    }
    assertThat(all.areEqual()).as(this::state).isTrue();
    all.checkAllEqual();
    VectorClock everything = all.history().everything();
    end = nanos + MAX_SETTLING;
    while (!areTruncated(everything) && nanos < end) {
      // Arrivals are recorded when something is committed.
      all.write(all.get((idle + 1) % DATA_CENTRES));
      for (int i = 0; i < 20; i++) {
        advance();
      }
    }
    assertThat(areTruncated(everything)).as(this::state).isTrue();
    assertThat(setBack).isZero();
    for (List<PartitionReplicator> partitions : replicators) {
      for (PartitionReplicator replicator : partitions) {
        assertThat(replicator.problems()).isEmpty();
      }
    }
  }

  /**
   * Whether all commits are in a checkpoint of each partition, and truncated unless two data
   * centres can't exchange their progress.
   */
  private boolean areTruncated(VectorClock everything) {
    all.all().forEach(all::checkpoint);
    return all.all().stream()
        .flatMap(at -> at.store.partitions().local().stream())
        .map(Partition::watermarks)
        .map(times -> isCutForEver ? times.checkpointTime() : times.lowWatermark())
        .allMatch(everything::isAtOrBefore);
  }

  /** The progress of everything, for messages. */
  private String state() {
    StringBuilder text = new StringBuilder();
    for (DataCentre at : all.all()) {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        text.append(
            "data centre %d, partition %d: %s, reached %s, received %s, %s%n"
                .formatted(
                    at.local.number(),
                    partition,
                    at.partition(partition).watermarks(),
                    at.streams(partition).reached(),
                    at.streams(partition).lastOfAll(),
                    replicators.get(at.local.number()).get(partition).problems()));
      }
    }
    return text.append(faults.describe()).toString();
  }

  private void advance() {
    nanos += 10 * MILLI;
    all.all().forEach(this::tick);
    deliver();
    // Arrivals become durable with a delay.
    all.all().forEach(SimulatedDataCentres::awaitDurable);
  }
}
