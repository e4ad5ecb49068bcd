package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.internal.partition.PartitionStreams;
import io.github.stablecut.internal.stream.StreamBatch;
import io.github.stablecut.internal.stream.StreamReader;
import io.github.stablecut.internal.transaction.SimulatedDataCentres.DataCentre;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.statistics.Statistics;

/**
 * Three data centres of two partitions: random histories of interleaved transactions, with parts of
 * streams that are lost, repeated, reordered and forwarded, checkpoints, truncation, kills, power
 * cuts, and differing clocks. At each snapshot every object equals the result of the transactions
 * that the snapshot sees, wherever it is read; nothing is lost, duplicated or visible without its
 * causes; in the end all data centres are equal.
 */
final class ReplicationProperties {
  private static final int DATA_CENTRES = 3;
  private static final int PARTITIONS = SimulatedDataCentres.PARTITIONS;
  private static final int STEPS = 200;

  /** A part of a stream in flight. */
  private record InFlightBatch(int to, int partition, StreamBatch batch) {}

  private Random random = new Random(0);
  private SimulatedDataCentres all = new SimulatedDataCentres(random, 0);
  private final List<InFlightBatch> network = new ArrayList<>();
  private final List<SimulatedWatch> watches = new ArrayList<>();

  /** Often there are no other nodes. */
  private Optional<TransactionsElsewhere> elsewhere = Optional.empty();

  @Property(tries = 60, shrinking = ShrinkingMode.OFF)
  void dataCentresShowTheirSnapshotsAndConverge(@ForAll long seed) {
    random = new Random(seed);
    try (SimulatedDataCentres made = new SimulatedDataCentres(random, DATA_CENTRES)) {
      run(made);
    }
  }

  /** Data centres create the same objects with different types before they hear of each other. */
  @Property(tries = 30, shrinking = ShrinkingMode.OFF)
  void objectsOfSeveralTypesAreReadAsEachOfThem(@ForAll long seed) {
    random = new Random(seed);
    try (SimulatedDataCentres made = new SimulatedDataCentres(random, DATA_CENTRES, true)) {
      run(made);
      Statistics.label("objects of several types").collect(made.ofSeveralTypes());
    }
  }

  /** Each data centre has watches, which are closed and resume after their last change. */
  @Property(tries = 25, shrinking = ShrinkingMode.OFF)
  void watchesDeliverVisibleTransactionsOnceAndAfterTheirCauses(@ForAll long seed) {
    random = new Random(seed);
    try (SimulatedDataCentres made = new SimulatedDataCentres(random, DATA_CENTRES)) {
      for (DataCentre at : made.all()) {
        watches.add(new SimulatedWatch(made, at, random));
      }
      run(made);
      for (SimulatedWatch watch : watches) {
        watch.finish();
      }
    } finally {
      watches.forEach(SimulatedWatch::close);
      watches.clear();
    }
  }

  /** Partitions are reopened or move while other nodes hold transactions that have read there. */
  @Property(tries = 60, shrinking = ShrinkingMode.OFF)
  void transactionsOfOtherNodesAreRefusedOrSeenAlikeEverywhere(@ForAll long seed) {
    random = new Random(seed);
    TransactionsElsewhere others = new TransactionsElsewhere(random);
    elsewhere = Optional.of(others);
    try (SimulatedDataCentres made = new SimulatedDataCentres(random, DATA_CENTRES)) {
      run(made);
      Statistics.label("some are refused").collect(others.refused() > 0);
    } finally {
      elsewhere = Optional.empty();
    }
  }

  private void run(SimulatedDataCentres made) {
    all = made;
    network.clear();
    for (int step = 0; step < STEPS; step++) {
      if (!watches.isEmpty() && random.nextInt(4) == 0) {
        watches.get(random.nextInt(watches.size())).step();
      } else if (elsewhere.isPresent() && random.nextInt(8) == 0) {
        stepElsewhere(elsewhere.get());
      } else {
        step();
      }
    }
    settle();
  }

  /**
   * Sometimes everything is delivered, including promises, so that a data centre prunes dots which
   * transactions on other nodes of a reopened data centre have not read.
   */
  private void stepElsewhere(TransactionsElsewhere others) {
    others.step(all);
    if (random.nextInt(3) == 0) {
      all.commitAll();
      exchangeAll();
      all.checkpoint(all.any());
      all.any().reopen(random.nextBoolean());
      others.step(all);
    }
  }

  private void step() {
    DataCentre at = all.any();
    int kind = random.nextInt(100);
    if (kind < 12) {
      all.begin(at);
    } else if (kind < 32) {
      all.write(at);
    } else if (kind < 40) {
      all.commit(at);
    } else if (kind < 62) {
      send(at, all.any());
    } else if (kind < 84) {
      deliver();
    } else if (kind < 88) {
      acknowledge(at, all.any());
    } else if (kind < 92) {
      all.checkpoint(at);
    } else if (kind < 94) {
      watches.stream().filter(watch -> watch.isOf(at)).forEach(SimulatedWatch::close);
      at.reopen(random.nextBoolean());
    } else {
      all.check(at);
    }
  }

  private void send(DataCentre from, DataCentre to) {
    if (from == to) {
      return;
    }
    int partition = random.nextInt(PARTITIONS);
    int source = random.nextInt(3) > 0 ? from.local.number() : random.nextInt(DATA_CENTRES);
    if (source == to.local.number()) {
      return;
    }
    send(from, to, partition, source);
  }

  private void send(DataCentre from, DataCentre to, int partition, int source) {
    PartitionStreams streams = from.streams(partition);
    VectorClock promise = VectorClock.ZERO;
    long promisedAfter = 0;
    if (source == from.local.number()) {
      if (random.nextBoolean()) {
        for (int i = 0; i < PARTITIONS; i++) {
          from.recorded[i] = from.streams(i).recordReached();
        }
      }
      // An idle partition reports its time too.
      from.store
          .partitions()
          .local()
          .get(partition)
          .snapshotAfter(from.store.partitions().newest());
      VectorClock recorded = from.recorded[0].meet(from.recorded[1]);
      PartitionStreams.Promise made = streams.promise(recorded);
      promise = made.vector();
      promisedAfter = made.after();
    }
    StreamReader.Chunk part;
    try {
      part =
          streams
              .read(source, to.streams(partition).next(source))
              .read(random.nextBoolean() ? 100 : 1 << 20);
    } catch (SnapshotTruncatedException e) {
      throw new AssertionError(
          "data centre %d has truncated what %d needs"
              .formatted(from.local.number(), to.local.number()),
          e);
    }
    network.add(
        new InFlightBatch(
            to.local.number(),
            partition,
            new StreamBatch(
                source,
                part.after(),
                part.through(),
                part.records(),
                part.through() >= promisedAfter ? promise : VectorClock.ZERO)));
  }

  private void deliver() {
    if (network.isEmpty()) {
      return;
    }
    int which = random.nextInt(Math.min(4, network.size()));
    InFlightBatch next = network.get(which);
    int fate = random.nextInt(10);
    if (fate > 0) {
      network.remove(which);
    }
    if (fate < 9) {
      all.get(next.to).streams(next.partition).receive(next.batch);
    }
  }

  private void acknowledge(DataCentre from, DataCentre to) {
    if (from != to) {
      for (int i = 0; i < PARTITIONS; i++) {
        to.streams(i).acknowledged(from.local.number(), from.streams(i).recorded());
      }
    }
  }

  /** Delivers everything; then all data centres are equal. */
  private void settle() {
    all.commitAll();
    exchangeAll();
    all.checkAllEqual();
    all.all().forEach(this::acknowledgeAll);
    all.all().forEach(at -> all.checkpoint(at));
    all.all().forEach(at -> all.checkpoint(at));
    all.checkAllEqual();
  }

  /** Discards messages in flight, then sends and delivers everything. */
  private void exchangeAll() {
    network.clear();
    all.all().forEach(ReplicationProperties::passTime);
    for (int round = 0; round < 3; round++) {
      for (DataCentre from : all.all()) {
        for (DataCentre to : all.all()) {
          for (int partition = 0; partition < PARTITIONS && from != to; partition++) {
            // Each round delivers the rest, then what became durable in between.
            while (sendAll(from, to, partition)) {
              // There may be more.
            }
          }
        }
      }
    }
  }

  /**
   * Before a kill, a data centre may have reported a time without transactions. Others have read at
   * it, and wait until it is reported again.
   */
  private static void passTime(DataCentre at) {
    for (int i = 0; i < PARTITIONS; i++) {
      at.partition(i).snapshotAfter(at.partition(i).now());
    }
  }

  private void acknowledgeAll(DataCentre from) {
    all.all().forEach(to -> acknowledge(from, to));
  }

  private boolean sendAll(DataCentre from, DataCentre to, int partition) {
    network.clear();
    SimulatedDataCentres.awaitDurable(to);
    send(from, to, partition, from.local.number());
    StreamBatch batch = network.remove(0).batch;
    assertThat(to.streams(partition).receive(batch)).isEqualTo(PartitionStreams.Receipt.TAKEN);
    VectorClock arriving = VectorClock.ZERO.with(batch.source(), batch.through());
    to.store.partitions().local().get(partition).awaitComplete(arriving);
    return !batch.records().isEmpty();
  }
}
