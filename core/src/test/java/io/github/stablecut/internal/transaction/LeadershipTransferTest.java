package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.ReopenException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.internal.thread.Threads;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A leader that ends in order. */
final class LeadershipTransferTest extends ThreeReplicas {
  private volatile boolean areElectionsOver;

  /** The senders whose messages are dropped. */
  private final Queue<ReplicaMessage> unheard = new ConcurrentLinkedQueue<>();

  /** The latch until which groups with records do not pass. */
  private volatile @Nullable CountDownLatch passing;

  /** Whether one waits. */
  private volatile boolean isPassing;

  @Override
  void pass(String from, String to, ReplicaMessage message) {
    CountDownLatch mayPass = passing;
    if (mayPass != null
        && message instanceof ReplicaMessage.Group group
        && !group.records().isEmpty()) {
      isPassing = true;
      await(mayPass);
    }
    if (cutOff.contains(from)) {
      unheard.add(message);
    }
    if (!areElectionsOver || !(message instanceof ReplicaMessage.PreVoteRequest)) {
      super.pass(from, to, message);
    }
  }

  @Test
  void anotherReplicaLeadsWithoutAnElection() {
    startAll();
    Node first = leader();
    incrementBy(first, 20);
    untilAllAgree(first);
    areElectionsOver = true;

    first.replica.handOver(Duration.ofSeconds(60));

    assertThat(first.leading).isNull();
    assertThat(first.promised).isGreaterThan(first.replica.status().configuration().epoch());
    first.replica.close();
    Node second = leader();
    assertThat(second).isNotSameAs(first);
    assertThat(value(second)).isEqualTo(20);
    incrementBy(second, 5);
    assertThat(value(second)).isEqualTo(25);
  }

  @Test
  void aReplicaOnAnotherRemainingNodeLeads() {
    startAll();
    Node first = leader();
    incrementBy(first, 20);
    untilAllAgree(first);
    areElectionsOver = true;
    Node second = nodes.values().stream().filter(one -> one != first).findFirst().orElseThrow();
    second.replica.retire();

    first.replica.handOver(Duration.ofSeconds(60));

    first.replica.close();
    Node third = leader();
    assertThat(third).isNotSameAs(first).isNotSameAs(second);
    assertThat(value(third)).isEqualTo(20);
  }

  @Test
  void waitsForNoReplicaIfAllEnd() {
    startAll();
    Node first = leader();
    incrementBy(first, 20);
    untilAllAgree(first);
    long led = first.promised;
    nodes.values().forEach(node -> node.replica.retire());

    first.replica.handOver(Duration.ofSeconds(60));

    assertThat(first.promised).isEqualTo(led);
  }

  @Test
  void aLeaderTransfersLeadershipAndFollows() {
    startAll();
    Node first = leader();
    incrementBy(first, 20);
    untilAllAgree(first);
    areElectionsOver = true;
    String to = first.name.equals("b") ? "c" : "b";

    assertThat(first.replica.giveWay(to, Duration.ofSeconds(60))).isTrue();

    Node second = leader();
    assertThat(second.name).isEqualTo(to);
    incrementBy(second, 5);
    untilAllAgree(second);
    assertThat(value(second)).isEqualTo(25);
    assertThat(second.replica.giveWay(first.name, Duration.ofSeconds(60))).isTrue();
    assertThat(leader()).isSameAs(first);
    assertThat(value(first)).isEqualTo(25);
  }

  /** Clients that write all the time lose nothing, and no outcome is unknown. */
  @Test
  void aSurplusLeaderCommitsItsInFlightRequests() {
    startAll();
    Node first = leader();
    incrementBy(first, 20);
    areElectionsOver = true;
    List<String> others = NAMES.stream().filter(name -> !name.equals(first.name)).toList();
    Queue<CompletableFuture<VectorClock>> commits = new ConcurrentLinkedQueue<>();
    Thread client = new Thread(() -> incrementWhileItLeads(first, commits), "client");
    client.start();

    nodes.values().forEach(node -> node.replica.place(others));

    until(
        "another one leads, and the first one no longer has a replica",
        () ->
            reachable().stream()
                .filter(node -> node.leading != null)
                .anyMatch(node -> node.replica.status().configuration().voters().equals(others)));
    Threads.join(client);
    assertThat(commits).isNotEmpty().noneMatch(CompletableFuture::isCompletedExceptionally);
    assertThat(value(leader())).isEqualTo(20 + commits.size());
  }

  /** Several are in flight all the time. */
  private static void incrementWhileItLeads(
      Node leader, Queue<CompletableFuture<VectorClock>> commits) {
    Partition partition = partition(leader);
    try {
      while (leader.leading == partition) {
        commits.add(increment(partition));
        LockSupport.parkNanos(10_000);
      }
    } catch (ReopenException e) {
      // It was just closed.
    }
  }

  @Test
  void aLeaderReportsThatNoReplicaTakesOver() {
    startAll();
    until(
        "one that still leads when it is cut off reports it",
        () -> {
          Node first = leader();
          cutOff.add(first.name);
          String to = first.name.equals("b") ? "c" : "b";
          boolean isTaken = first.replica.giveWay(to, Duration.ofMillis(1));
          cutOff.clear();
          return !isTaken;
        });
  }

  /** The closing leadership still has the log, as here behind a checkpoint. */
  @Test
  void aClosingLeaderAcceptsNothingOfALaterLeader() throws InterruptedException {
    startAll();
    Node first = leader();
    incrementBy(first, 20);
    CountDownLatch mayCheckpoint = new CountDownLatch(1);
    first.mayCheckpoint = mayCheckpoint;
    Thread checkpoint = new Thread(partition(first)::checkpoint, "checkpoint");
    checkpoint.start();
    await(first.beginsCheckpoint);
    long next = first.replica.status().next();
    long led = first.replica.status().configuration().epoch();
    cutOff.add(first.name);
    Thread closing = new Thread(() -> first.replica.handOver(Duration.ZERO), "closing");
    closing.start();
    until("it waits", () -> first.leading == null && isWaiting(closing));
    unheard.clear();

    first.replica.receive(
        "x", new ReplicaMessage.Group(led + 1, next, led, led + 1, List.of(), next));
    first.replica.receive("x", new ReplicaMessage.VoteRequest(led + 2));

    until("it has promised", () -> first.promised == led + 2);
    mayCheckpoint.countDown();
    closing.join();
    checkpoint.join();
    first.replica.close();
    assertThat(unheard)
        .anyMatch(ReplicaMessage.Vote.class::isInstance)
        .noneMatch(ReplicaMessage.Acknowledged.class::isInstance)
        .noneMatch(ReplicaMessage.LogMismatch.class::isInstance);
    nodes.put(first.name, new Node(first.name, first.disk.afterKill(), first.promised));
    cutOff.clear();
    untilAllAgree(leader());
  }

  @Test
  void anotherOneLeadsThoughTheNodeFailsToEndItsLeadership() {
    startAll();
    Node first = leader();
    incrementBy(first, 20);
    untilAllAgree(first);
    areElectionsOver = true;
    first.failsToEnd = true;

    assertThatThrownBy(() -> first.replica.handOver(Duration.ofSeconds(60))).hasMessage("injected");

    assertThat(leader()).isNotSameAs(first);
    assertThat(value(leader())).isEqualTo(20);
  }

  /** By an order, and as a surplus leader. */
  @Test
  void callersOfALeadershipTransferLearnItsOutcome() {
    startAll();
    Node first = leader();
    incrementBy(first, 20);
    untilAllAgree(first);
    CountDownLatch mayCheckpoint = new CountDownLatch(1);
    first.mayCheckpoint = mayCheckpoint;
    Thread checkpoint = new Thread(partition(first)::checkpoint, "checkpoint");
    checkpoint.start();
    await(first.beginsCheckpoint);
    String to = first.name.equals("b") ? "c" : "b";
    List<FutureTask<Boolean>> commits =
        List.of(givingWay(first, to), givingWay(first, to), givingWay(first, to));
    List<Thread> threads = commits.stream().map(one -> Threads.daemon("gives way", one)).toList();
    threads.forEach(Thread::start);
    until(
        "each waits for the end", () -> threads.stream().allMatch(LeadershipTransferTest::stands));

    mayCheckpoint.countDown();

    assertThat(commits).allSatisfy(one -> assertThat(one.get()).isTrue());
    Threads.join(checkpoint);
  }

  private static FutureTask<Boolean> givingWay(Node node, String to) {
    return new FutureTask<>(() -> node.replica.giveWay(to, Duration.ofSeconds(20)));
  }

  private static boolean stands(Thread thread) {
    return isWaiting(thread) || thread.getState() == Thread.State.BLOCKED;
  }

  /** Reading the disk meanwhile may hang. */
  @Test
  void reportingARefusedMessageWaitsForNothing() {
    startAll();
    Node leader = leader();
    untilAllAgree(leader);
    CountDownLatch mayPass = new CountDownLatch(1);
    passing = mayPass;
    CompletableFuture<VectorClock> later = increment(partition(leader));
    until("a group is being sent", () -> isPassing);
    Thread telling = Threads.daemon("telling", () -> leader.replica.refused("b"));
    telling.start();

    try {
      until("the caller gets an answer", () -> !telling.isAlive());
    } finally {
      mayPass.countDown();
    }

    assertThat(later).succeedsWithin(Duration.ofSeconds(60));
  }

  private static boolean isWaiting(Thread thread) {
    return thread.getState() == Thread.State.WAITING;
  }

  @Test
  void withoutAnUpToDateReplicaAnotherOneLeadsLater() {
    startAll();
    Node first = leader();
    incrementBy(first, 20);
    cutOff.add(first.name);

    first.replica.handOver(Duration.ZERO);
    first.replica.close();

    assertThat(value(leader())).isEqualTo(20);
  }
}
