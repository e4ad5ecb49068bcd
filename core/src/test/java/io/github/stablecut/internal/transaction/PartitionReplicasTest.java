package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.replicated.PartitionReplica;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.Replica;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.internal.transaction.routing.PartitionSettings;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Three replicas of a partition, one of which is lost, cut off or has a failing disk. */
final class PartitionReplicasTest extends ThreeReplicas {
  /** The number of questions to a leader about what is complete. */
  private final AtomicInteger asks = new AtomicInteger();

  /** The replica whose thread blocks when it sends a message, and until when. */
  private record BlockedSender(String name, CountDownLatch until) {}

  private volatile @Nullable BlockedSender hangs;
  private volatile boolean isHanging;

  @Override
  void pass(String from, String to, ReplicaMessage message) {
    BlockedSender hang = hangs;
    if (hang != null && hang.name.equals(from)) {
      isHanging = true;
      await(hang.until);
    }
    if (message instanceof ReplicaMessage.CompleteTimeRequest) {
      asks.incrementAndGet();
    }
    super.pass(from, to, message);
  }

  @Test
  void acknowledgedCommitsSurviveTheLossOfTheLeader() {
    startAll();
    Node first = leader();
    incrementBy(first, 100);
    nodes.remove(first.name);

    Node second = leader();
    assertThat(value(second)).isEqualTo(100);
    incrementBy(second, 10);
    assertThat(value(second)).isEqualTo(110);
    assertThat(second.replica.status().configuration().epoch())
        .isGreaterThan(first.replica.status().configuration().epoch());
    first.replica.close();
  }

  @Test
  void aDeposedLeaderAcknowledgesNothingAndFollows() {
    startAll();
    Node first = leader();
    incrementBy(first, 10);
    Partition deposed = partition(first);
    cutOff.add(first.name);
    CompletableFuture<VectorClock> lost = increment(deposed);
    Node second = leader();
    incrementBy(second, 5);

    assertThatThrownBy(() -> deposed.present(KEY.id()))
        .isInstanceOf(PartitionUnavailableException.class);
    assertThat(lost)
        .failsWithin(Duration.ofSeconds(60))
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(StablecutException.class)
        .withMessageContaining("no longer leads the partition in epoch");
    cutOff.clear();
    untilAllAgree(second);
    assertThat(first.replica.status().role()).isEqualTo(Replica.Role.FOLLOWING);
    assertThat(value(second)).isEqualTo(15);

    cutOff.add(second.name);
    assertThat(value(leader())).isEqualTo(15);
  }

  @Test
  void aReturningReplicaCatchesUp() {
    startAll();
    Node leader = leader();
    incrementBy(leader, 10);
    Node away = closeFollower(leader);
    incrementBy(leader, 200);

    LossyDisk disk = away.disk.afterPowerCut(new Random(1), 0.5);
    nodes.put(away.name, new Node(away.name, disk, away.promised));
    cutOff.clear();

    untilAllAgree(leader);
    assertThat(value(leader)).isEqualTo(210);
  }

  @Test
  void acknowledgedCommitsSurviveAPowerCutOfAll() {
    startAll();
    incrementBy(leader(), 50);
    cutOff.addAll(NAMES);
    Map<String, Node> before = Map.copyOf(nodes);
    before.forEach(
        (name, node) ->
            nodes.put(
                name, new Node(name, node.disk.afterPowerCut(new Random(2), 0.3), node.promised)));
    cutOff.clear();

    Node again = leader();

    assertThat(value(again)).isEqualTo(50);
    assertThat(again.replica.status().configuration().epoch()).isGreaterThan(1);
    incrementBy(again, 1);
    before.values().forEach(node -> node.replica.close());
  }

  @Test
  void aReplicaWithAFailingDiskTakesPartInNothing() {
    startAll();
    Node leader = leader();
    incrementBy(leader, 10);
    leader.disk.journal().failOnce(1);
    try {
      incrementBy(leader, 5);
    } catch (CompletionException | NullPointerException e) {
      // It is the one that has failed.
    }

    until("it has failed", () -> leader.replica.status().failure().isPresent());
    cutOff.add(leader.name);
    assertThat(value(leader())).isGreaterThanOrEqualTo(10);
  }

  @Test
  void aFollowerWhoseDiskFailsOnceReopensAndCatchesUp() {
    startAll();
    Node leader = leader();
    incrementBy(leader, 10);
    untilAllAgree(leader);
    Node failing = node(leader.name.equals("b") ? "c" : "b");
    failing.disk.journal().failOnce(1);
    incrementBy(leader, 10);
    until("it has failed", () -> failing.replica.status().failure().isPresent());
    incrementBy(leader, 10);

    untilAllAgree(leader);
    assertThat(failing.replica.status().failure()).isEmpty();
    assertThat(value(leader)).isEqualTo(30);
  }

  @Test
  void aReopenedReplicaKnowsItsConfiguration() {
    startAll();
    Node leader = leader();
    untilAllAgree(leader);
    Node failing = node(leader.name.equals("b") ? "c" : "b");
    Configuration known = leader.replica.status().configuration();
    until("it has read it", () -> failing.replica.status().configuration().equals(known));
    register.isSilent = true;
    failing.disk.journal().failOnce(1);
    incrementBy(leader, 1);
    until("it has failed", () -> failing.replica.status().failure().isPresent());

    until("it is open again", () -> failing.replica.status().failure().isEmpty());

    assertThat(failing.replica.status().configuration()).isEqualTo(known);
  }

  @Test
  void aReplicaWithUnreadableFilesIsFailedUntilTheyAreReadable() {
    startAll();
    Node leader = leader();
    incrementBy(leader, 10);
    untilAllAgree(leader);
    Node failing = node(leader.name.equals("b") ? "c" : "b");
    failing.replica.close();
    failing.isUnreadable = true;
    PartitionReplica again =
        PartitionReplica.start(
            failing.name,
            Configuration.first(NAMES),
            PartitionSettings.of(OPTIONS, LocalDataCentre.FIRST, 0),
            failing,
            register,
            failing);
    assertThat(again.status().failure().orElseThrow()).contains("injected");
    incrementBy(leader, 10);

    failing.isUnreadable = false;

    until("it is open", () -> again.status().failure().isEmpty());
    again.close();
  }

  @Test
  void aReplicaThatCannotReportItsFailureTakesPartInNothing() {
    startAll();
    Node leader = leader();
    incrementBy(leader, 10);
    untilAllAgree(leader);
    Node failing = node(leader.name.equals("b") ? "c" : "b");
    failing.isOutOfMemory = true;

    failing.replica.receive(leader.name, new ReplicaMessage.VoteRequest(1_000));

    until("it has failed", () -> failing.replica.status().failure().isPresent());
    incrementBy(leader, 10);
    assertThat(failing.replica.status().committed())
        .isLessThan(leader.replica.status().committed());
  }

  @Test
  void aReplicaWithAHangingDiskIsNotUpToDate() {
    startAll();
    Node leader = leader();
    untilAllAgree(leader);
    Node hanging = node(leader.name.equals("b") ? "c" : "b");
    until("it is up to date", () -> hanging.replica.status().isUpToDate());
    CountDownLatch mayPromise = new CountDownLatch(1);
    hanging.mayPromise = mayPromise;
    cutOff.add(hanging.name);

    hanging.replica.receive(leader.name, new ReplicaMessage.VoteRequest(1_000));

    try {
      until("it has done nothing for long", () -> hanging.replica.status().failure().isPresent());
      assertThat(hanging.replica.status().failure().orElseThrow())
          .contains("has handled no event for");
      assertThat(hanging.replica.status().isUpToDate()).isFalse();
      assertThat(hanging.replica.status().isLed()).isFalse();
    } finally {
      mayPromise.countDown();
    }
    until("it goes on", () -> hanging.replica.status().failure().isEmpty());
  }

  @Test
  void releasesTheMemoryOfAMessageOnceProcessedOrLost() {
    startAll();
    Node leader = leader();
    untilAllAgree(leader);
    Node node = node(leader.name.equals("b") ? "c" : "b");
    CountDownLatch mayPromise = new CountDownLatch(1);
    node.mayPromise = mayPromise;
    cutOff.add(node.name);
    AtomicInteger givenBack = new AtomicInteger();
    try {
      for (int epoch = 1_000; epoch < 1_004; epoch++) {
        node.replica.receive(
            leader.name, new ReplicaMessage.VoteRequest(epoch), givenBack::incrementAndGet);
      }
      assertThat(givenBack).hasValue(0);
    } finally {
      mayPromise.countDown();
    }
    until("all are handled", () -> givenBack.get() == 4);

    node.isOutOfMemory = true;
    node.replica.receive(
        leader.name, new ReplicaMessage.VoteRequest(2_000), givenBack::incrementAndGet);
    until("it has failed", () -> node.replica.status().failure().isPresent());
    node.replica.receive(
        leader.name, new ReplicaMessage.VoteRequest(2_001), givenBack::incrementAndGet);
    until("they are lost", () -> givenBack.get() == 6);

    node.replica.close();
    node.replica.receive(
        leader.name, new ReplicaMessage.VoteRequest(2_002), givenBack::incrementAndGet);
    assertThat(givenBack).hasValue(7);
  }

  @Test
  void aReplicaClosedWhileItStartsToLeadWaitsForNothing() throws InterruptedException {
    for (String name : NAMES) {
      Node node = new Node(name, LossyDisk.empty(), 0);
      node.mayLead = new CountDownLatch(1);
      nodes.put(name, node);
    }
    until("one begins to lead", () -> nodes.values().stream().anyMatch(Node::begins));
    Node first = nodes.values().stream().filter(Node::begins).findAny().orElseThrow();
    Thread closing = new Thread(first.replica::close, "closing");
    closing.start();
    until("it waits for the replica's thread", () -> closing.getState() == Thread.State.WAITING);
    cutOff.addAll(NAMES);

    nodes.values().forEach(node -> Objects.requireNonNull(node.mayLead).countDown());
    nodes.remove(first.name);

    closing.join(Duration.ofSeconds(30).toMillis());
    assertThat(closing.isAlive()).isFalse();
  }

  @Test
  void readersOfAReplicaWithAHangingThreadAskForMissingRecordsOnce() {
    startAll();
    Node leader = leader();
    incrementBy(leader, 3);
    untilAllAgree(leader);
    String hanging = leader.name.equals("b") ? "c" : "b";
    PartitionReplica replica = node(hanging).replica;
    until("it is read", () -> replica.near(0, Duration.ofSeconds(1)).isPresent());
    CountDownLatch maySend = new CountDownLatch(1);
    hangs = new BlockedSender(hanging, maySend);
    until("it hangs", () -> isHanging);
    int before = asks.get();

    for (int i = 0; i < 20; i++) {
      replica.near(Long.MAX_VALUE, Duration.ofMillis(50));
    }
    hangs = null;
    maySend.countDown();

    until("it has asked", () -> asks.get() > before);
    long newest = replica.near(0, Duration.ofSeconds(1)).orElseThrow();
    until(
        "it learns a newer time",
        () -> replica.near(0, Duration.ofSeconds(1)).orElseThrow() > newest);
    assertThat(asks.get() - before).isLessThan(100);
  }
}
