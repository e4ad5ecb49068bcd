package io.github.stablecut.internal.transaction;

import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.internal.transaction.ReplicatedFaults.Kind;
import io.github.stablecut.journal.GroupListener;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.journal.segment.CorruptJournalException;
import io.github.stablecut.journal.testing.LossySegments;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;

/** Makes the faults of a history of a {@link SimulatedCluster}. Confined to one thread. */
final class FaultInjector {
  /** The most bytes that follow a frame and belong to nothing. */
  private static final int MOST_PADDING = 3;

  /** How often to look whether another node leads. */
  private static final int LOOK_MILLIS = 20;

  private static final int MOST_LOOKS = 300;
  private static final int MOMENT_MILLIS = 300;

  private final Random random;
  private final ReplicatedFaults faults;
  private final SimulatedCluster cluster;
  private final SimulatedTime time;
  private final ReplicaNetwork network;

  /** For each partition, its leader according to the clients. */
  private final IntFunction<Optional<SimulatedLeadership>> leaders;

  FaultInjector(
      Random random,
      ReplicatedFaults faults,
      SimulatedCluster cluster,
      IntFunction<Optional<SimulatedLeadership>> leaders) {
    this.random = random;
    this.faults = faults;
    this.cluster = cluster;
    this.time = cluster.time();
    this.network = cluster.network();
    this.leaders = leaders;
  }

  /** Begins. */
  void begin() {
    if (!faults.kinds().isEmpty()) {
      burstLater();
    }
  }

  private void burstLater() {
    time.at(
        time.soon(faults.gapMillis()) + faults.gapMillis() * SimulatedTime.MILLI / 2,
        () -> burst(1 + random.nextInt(faults.burst())));
  }

  private void burst(int left) {
    if (cluster.isCalm()) {
      return;
    }
    inject(faults.kinds().get(random.nextInt(faults.kinds().size())));
    if (left > 1) {
      time.at(time.soon(faults.burstMillis()), () -> burst(left - 1));
    } else {
      burstLater();
    }
  }

  private void inject(Kind kind) {
    cluster.trace(kind.name());
    int index = anyNode();
    int number = random.nextInt(SimulatedProcesses.PARTITIONS);
    int leader = leaders.apply(number).map(led -> led.node().index()).orElse(index);
    switch (kind) {
      case CRASH -> cluster.crash(index);
      case CRASH_OF_LEADER -> cluster.crash(leader);
      case POWER_CUT -> cluster.crashAll();
      case END -> end(leader);
      case CUT_LINK -> cutLink(index, anyNode());
      case MUTE -> network.cutOff(index, true, false);
      case DEAF -> network.cutOff(index, false, true);
      case ISOLATED_LEADER -> network.cutOff(leader, true, true);
      case LAGGING_THIRD -> lagBehind(leader, number);
      case TWO_FAILOVERS -> failOverTwice(leader, number);
      case DEPOSED_LEADER -> depose(leader, number);
      case FIGURE_EIGHT -> new FigureEight(leader, number).begin();
      case SHAPE -> network.shape();
      case HEALED -> network.heal();
      case FREEZE -> freeze(index);
      case FREEZE_OF_LEADER -> freeze(leader);
      case TRANSFER -> transfer(number, index);
      case JOURNAL_FAULT -> failJournal(random.nextBoolean() ? leader : index, number);
      case VOTE_FAULT -> disk(index, number).failWrite(random.nextBoolean());
      case CHECKPOINT_FAULT -> failCheckpoints(index, number);
      case CLOCK_JUMP -> jumpClock(index);
      case LOST_DISK -> loseDisks(index);
      case DAMAGED_TAIL -> damageTail(index, number);
      case CRASH_WHEN_VOTED -> cluster.crashPoints().arm(kind, random.nextInt(3));
      case CRASH_WHEN_WRITTEN, CRASH_WHEN_SYNCED, CRASH_BEFORE_MESSAGE, CRASH_AFTER_MESSAGE ->
          cluster.crashPoints().arm(kind, random.nextInt(10));
    }
  }

  private int anyNode() {
    return random.nextInt(SimulatedCluster.NODES);
  }

  private SimulatedReplicaDisk disk(int index, int number) {
    return cluster.machine(index).disk(number);
  }

  /** A node ends in order, unless it hangs. */
  void end(int index) {
    cluster.node(index).filter(node -> !node.isFrozen()).ifPresent(ReplicatedNode::end);
  }

  private void cutLink(int index, int other) {
    network.cut(List.of(ReplicatedFaults.link(index, other)));
    if (random.nextBoolean()) {
      network.cut(List.of(ReplicatedFaults.link(other, index)));
    }
  }

  private void transfer(int number, int to) {
    leaders
        .apply(number)
        .filter(SimulatedLeadership::isServing)
        .ifPresent(led -> led.node().leave(number, SimulatedCluster.NAMES.get(to)));
  }

  private void freeze(int index) {
    long until = network.interruptionEnd();
    cluster.node(index).ifPresent(node -> node.freeze(until));
  }

  /** A journal fails soon, unless others of a majority may have lost something. */
  void failJournal(int index, int number) {
    if (cluster.isWhole()) {
      disk(index, number).files().journal().failOnce(1 + random.nextInt(4));
    }
  }

  void failCheckpoints(int index, int number) {
    LossyDirectory checkpoints = disk(index, number).files().checkpoints();
    if (random.nextBoolean()) {
      checkpoints.failReadOnce(1 + random.nextInt(3));
    } else {
      checkpoints.failAt(checkpoints.operations() + 1 + random.nextInt(12));
    }
  }

  /** Few reads get as far as the disk. */
  void failNextRead(int index, int number) {
    disk(index, number).files().checkpoints().failReadOnce(1);
  }

  void jumpClock(int index) {
    cluster.machine(index).jump(List.of(1_000, 9_000, 1 << 28).get(random.nextInt(3)));
  }

  /** A node loses its disks, unless others of a majority may have lost something, too. */
  private void loseDisks(int index) {
    if (cluster.isWhole()) {
      cluster.crash(index);
      cluster.machine(index).loseDisks();
      cluster.disks().forEach(disk -> disk.files().journal().failOnce(0));
    }
  }

  /**
   * The disk of a node that crashes damages what it has synced last, if all others are intact. If
   * the journal then refused to open, an operator would have to replace it.
   */
  private void damageTail(int index, int number) {
    if (cluster.isWhole()) {
      cluster.crash(index, true);
      LossySegments journal = disk(index, number).files().journal();
      int last = journal.extent().newest();
      byte[] contents = last > 0 ? journal.contents(last) : new byte[0];
      if (contents.length > MOST_PADDING) {
        contents[contents.length - 1 - MOST_PADDING] ^= 1;
        LossySegments tried = journal.afterKill();
        tried.replace(last, contents);
        if (opens(tried)) {
          journal.replace(last, contents);
        }
      }
    }
  }

  private static boolean opens(LossySegments journal) {
    JournalOptions options = JournalOptions.named("damaged").withReserveBytes(0);
    try {
      Journal.open(journal, options, GroupListener.NOBODY, record -> {}).close();
      return true;
    } catch (CorruptJournalException e) {
      return false;
    }
  }

  // Faults with a plot.

  /**
   * A leader can commit only with one other node, whose disk may fail, until the third one returns
   * and the leader is cut off.
   */
  private void lagBehind(int leader, int number) {
    int third = (leader + 1 + random.nextInt(2)) % SimulatedCluster.NODES;
    int second = SimulatedCluster.NODES - leader - third;
    network.cutOff(third, true, true);
    int what = random.nextInt(4);
    if (what < 2) {
      failJournal(second, number);
    }
    time.at(
        time.soon(1_000) + 100 * SimulatedTime.MILLI,
        () -> {
          network.heal();
          if (what == 2 && !cluster.isCalm()) {
            damageTail(second, number);
          }
          if (!cluster.isCalm()) {
            network.cutOff(leader, true, true);
          }
        });
  }

  /** A leader with records of its own is cut off while others lead twice. */
  private void failOverTwice(int leader, int number) {
    network.cutOff(leader, true, true);
    whenOtherLeads(leader, number, MOST_LOOKS, second -> failOverAgain(leader, second, number));
  }

  /** A leader hears nobody until another one leads, and then all but its voters. */
  private void depose(int leader, int number) {
    network.setPartial(false);
    network.cutOff(leader, true, true);
    whenOtherLeads(
        leader,
        number,
        MOST_LOOKS,
        other -> {
          network.setPartial(true);
          network.cutOff(leader, true, true);
        });
  }

  /** Runs an action a moment after another node has begun to lead, if one does soon. */
  private void whenOtherLeads(int first, int number, int looks, IntConsumer action) {
    time.at(
        time.soon(2 * LOOK_MILLIS),
        () -> {
          Optional<Integer> other =
              leaders.apply(number).map(led -> led.node().index()).filter(led -> led != first);
          if (other.isPresent()) {
            time.at(time.soon(MOMENT_MILLIS), () -> unlessCalm(() -> action.accept(other.get())));
          } else if (looks > 0) {
            whenOtherLeads(first, number, looks - 1, action);
          }
        });
  }

  private void unlessCalm(Runnable action) {
    if (!cluster.isCalm()) {
      action.run();
    }
  }

  private void failOverAgain(int first, int second, int number) {
    if (random.nextBoolean()) {
      cluster.crash(second);
    } else {
      transfer(number, SimulatedCluster.NODES - first - second);
    }
    // The third one may lead before the first one returns.
    network.cutOff(first, true, true);
  }

  /**
   * A leader has records that no other node has. The next one writes the header of its epoch, which
   * no other node gets. The first one returns, leads a third epoch, and sends the others its
   * records, but not the header. Then the second one returns in place of the first one.
   */
  private final class FigureEight {
    private final int first;
    private final int number;

    FigureEight(int first, int number) {
      this.first = first;
      this.number = number;
    }

    void begin() {
      network.cutOff(first, true, true);
      network.lose(
          (of, from, message) ->
              of == number && from != first && message instanceof ReplicaMessage.Group);
      time.at(time.soon(1_500) + 1_800 * SimulatedTime.MILLI, () -> unlessCalm(this::returnFirst));
    }

    private void returnFirst() {
      int second = second();
      network.heal();
      network.cutOff(second, true, true);
      network.lose(
          (of, from, message) ->
              of == number
                  && message instanceof ReplicaMessage.Group group
                  && group.recordsEpoch() == group.epoch());
      time.at(
          time.soon(2_000) + 2_500 * SimulatedTime.MILLI,
          () ->
              unlessCalm(
                  () -> {
                    network.heal();
                    network.cutOff(first, true, true);
                  }));
    }

    /** The node that has begun an epoch which others do not know, or any. */
    private int second() {
      String leader = Configuration.nodeOf(cluster.register().get(number).leader());
      int last = SimulatedCluster.NAMES.indexOf(leader);
      return last < 0 || last == first ? (first + 1) % SimulatedCluster.NODES : last;
    }
  }
}
