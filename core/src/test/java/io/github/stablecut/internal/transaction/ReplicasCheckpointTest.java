package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointOptions;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.Manifest;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.TransactionExpiredException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.partition.replicated.ReplicaDigest;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.Replica;
import io.github.stablecut.internal.transaction.routing.PartitionSettings;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** All replicas of a partition make the checkpoints that their leader announces. */
final class ReplicasCheckpointTest extends ThreeReplicas {
  @Override
  StoreOptions options() {
    return OPTIONS.withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO));
  }

  /** The contents of a node's disk. */
  private static CheckpointView view(Node node) {
    try (CheckpointStore store =
        CheckpointStore.open(node.disk.checkpoints().afterKill(), CheckpointOptions.DEFAULTS, 1)) {
      return store.view();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Manifest manifest(Node node) {
    try (CheckpointView view = view(node)) {
      return view.manifest();
    }
  }

  private static ReplicaDigest digest(Node node) {
    return node.replica.digest(objects -> {}).orElseThrow();
  }

  private static VectorClock frontier(Node node) {
    try (CheckpointView view = view(node)) {
      return view.checkpoints().get(0).pruneFrontier();
    }
  }

  private void untilAllHaveTheCheckpointOf(Node leader) {
    until(
        "all have made the checkpoint",
        () ->
            nodes.values().stream()
                .allMatch(
                    node ->
                        manifest(node).checkpointTime().equals(manifest(leader).checkpointTime())));
  }

  @Test
  void followersMakeTheCheckpointsOfTheLeader() {
    startAll();
    Node leader = leader();
    incrementBy(leader, 20);
    partition(leader).checkpoint();
    untilAllHaveTheCheckpointOf(leader);
    VectorClock first = manifest(leader).checkpointTime();
    ReplicaDigest before = digest(leader);
    incrementBy(leader, 20);
    partition(leader).checkpoint();

    untilAllHaveTheCheckpointOf(leader);

    ReplicaDigest digest = digest(leader);
    assertThat(digest.objects()).isEqualTo(1);
    assertThat(digest.hash()).isNotEqualTo(before.hash());
    assertThat(digest.at()).isEqualTo(manifest(leader).checkpointTime()).isNotEqualTo(first);
    assertThat(nodes.values())
        .allSatisfy(
            node -> {
              assertThat(digest(node)).isEqualTo(digest);
              assertThat(frontier(node)).isEqualTo(frontier(leader));
              assertThat(manifest(node).clockCeiling()).isPositive();
            });
    until(
        "the leader has dropped what the checkpoint has",
        () -> !manifest(leader).lowWatermark().equals(first));
    until(
        "the others have dropped that too, and no more, without another checkpoint",
        () ->
            nodes.values().stream()
                .allMatch(
                    node -> manifest(node).lowWatermark().equals(manifest(leader).lowWatermark())));
    readsOnlyWhatItKeeps(node(leader.name.equals("b") ? "c" : "b"), first);
    cutOff.add(leader.name);
    assertThat(value(leader())).isEqualTo(40);
    incrementBy(leader(), 2);
    partition(leader()).checkpoint();
    assertThat(value(leader())).isEqualTo(42);
  }

  @Test
  void aFollowerThatCanWriteNoMoreCheckpointsIsReopened() {
    startAll();
    Node leader = leader();
    incrementBy(leader, 20);
    Node follower = node(leader.name.equals("b") ? "c" : "b");
    follower.failsSwitches = true;
    partition(leader).checkpoint();
    until("it has failed", () -> follower.replica.status().failure().isPresent());
    follower.failsSwitches = false;

    untilAllHaveTheCheckpointOf(leader);

    assertThat(leader()).isEqualTo(leader);
  }

  @Test
  void aLeaderThatCanWriteNoMoreCheckpointsIsReopened() {
    startAll();
    Node failed = leader();
    incrementBy(failed, 20);
    failed.failsSwitches = true;
    assertThatThrownBy(() -> partition(failed).checkpoint())
        .isInstanceOf(StablecutException.class)
        .hasMessageContaining("the switch to MANIFEST-");
    until("another one leads", () -> leader() != failed && failed.leading == null);
    failed.failsSwitches = false;
    until("it is reopened", () -> failed.replica.status().failure().isEmpty());

    incrementBy(leader(), 1);
    partition(leader()).checkpoint();

    untilAllHaveTheCheckpointOf(leader());
    assertThat(value(leader())).isEqualTo(21);
  }

  private static void readsOnlyWhatItKeeps(Node follower, VectorClock dropped) {
    LocalDataCentre local = LocalDataCentre.FIRST;
    long known = follower.replica.near(local.timeIn(dropped), Duration.ofSeconds(60)).orElseThrow();
    VectorClock now = local.with(dropped, known);

    assertThat(follower.replica.read(dropped, reads -> reads.versionAt(KEY.id(), dropped)))
        .isEmpty();
    assertThat(
            follower.replica.read(
                now, reads -> KEY.view(reads.versionAt(KEY.id(), now).orElseThrow().state(), now)))
        .contains(40L);
  }

  private static boolean leadsAll(Node node) {
    return node.leading != null && node.replica.status().isComplete();
  }

  private static void refuses(Node leader, VectorClock snapshot) {
    assertThatThrownBy(() -> increment(partition(leader), snapshot).join())
        .satisfiesAnyOf(
            thrown -> assertThat(thrown).isInstanceOf(TransactionExpiredException.class),
            thrown ->
                assertThat(thrown)
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(TransactionExpiredException.class));
  }

  /** Another replica may have pruned its states up to the announced frontier. */
  @Test
  void aNewLeaderRefusesSnapshotsBelowAFrontierAnnouncedByTheOldOne() {
    startAll();
    Node leader = leader();
    incrementBy(leader, 5);
    VectorClock old = partition(leader).stable();
    incrementBy(leader, 5);
    nodes.values().stream()
        .filter(node -> node != leader)
        .forEach(node -> node.failsCheckpoints = true);
    partition(leader).checkpoint();
    assertThat(old.isAtOrBefore(frontier(leader))).isTrue();
    assertThat(old).isNotEqualTo(frontier(leader));
    cutOff.add(leader.name);

    Node next = leader();

    assertThat(manifest(next).checkpointTime()).isEqualTo(VectorClock.ZERO);
    refuses(next, old);
    assertThat(value(next)).isEqualTo(10);
  }

  /** There was no replica to announce it to. */
  @Test
  void aNewLeaderRefusesSnapshotsBelowAFrontierFromTheTimeOfOneReplica() {
    LossyDisk disk = LossyDisk.empty();
    VectorClock old;
    try (Partition alone =
        Partition.open(
            partitionOptions(),
            PartitionContext.builder(
                    1,
                    PartitionSettings.clock(OPTIONS),
                    new ActiveSnapshots(System::nanoTime, Duration.ofHours(1).toNanos()),
                    (to, message) -> {})
                .build(),
            disk.journal(),
            disk.checkpoints())) {
      alone.start();
      old = increment(alone).join();
      increment(alone).join();
      alone.checkpoint();
    }
    Configuration only = new Configuration(1, "a", List.of("a"));
    assertThat(register.replace(0, only).toCompletableFuture()).isCompletedWithValue(true);
    nodes.put("a", new Node("a", disk.afterKill(), 0));
    for (String name : List.of("b", "c")) {
      nodes.put(name, new Node(name, LossyDisk.empty(), 0));
    }
    until("all vote", () -> nodes.values().stream().anyMatch(ReplicasCheckpointTest::leadsAll));
    Node leader = leader();
    assertThat(leader.name).isEqualTo("a");
    untilAllAgree(leader);
    assertThat(leader.replica.status().first()).isEqualTo(1);
    cutOff.add("a");

    Node next = leader();

    refuses(next, old);
    assertThat(value(next)).isEqualTo(2);
    cutOff.clear();
    untilAllHaveTheCheckpointOf(node("a"));
  }

  @Test
  void doesNotMakeACheckpointThatNoReplicaLearnsOf() {
    startAll();
    Node leader = leader();
    incrementBy(leader, 5);
    Node deposed = leader;
    cutOff.add(deposed.name);
    assertThatThrownBy(() -> partition(deposed).checkpoint())
        .hasMessageContaining("no longer leads the partition in epoch");

    assertThat(manifest(deposed).runs()).isEqualTo(List.of());
  }

  /** The replica's thread, which takes messages, waits until its leadership is closed. */
  @Test
  void aDeposedLeaderDoesNotFinishItsCheckpoint() {
    startAll();
    Node first = leader();
    incrementBy(first, 20);
    CountDownLatch mayCheckpoint = new CountDownLatch(1);
    first.mayCheckpoint = mayCheckpoint;
    CompletableFuture<Void> checkpoint =
        CompletableFuture.runAsync(
            partition(first)::checkpoint, task -> new Thread(task, "checkpoint").start());
    await(first.beginsCheckpoint);
    cutOff.add(first.name);
    until("it leads no more", () -> first.leading == null);

    mayCheckpoint.countDown();

    assertThat(checkpoint)
        .failsWithin(Duration.ofSeconds(60))
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(StablecutException.class);
    cutOff.clear();
    untilAllAgree(leader());
  }

  @Test
  void aRestartedReplicaContinuesAfterItsCheckpoint() {
    startAll();
    Node leader = leader();
    incrementBy(leader, 30);
    partition(leader).checkpoint();
    untilAllHaveTheCheckpointOf(leader);
    Node away = closeFollower(leader);
    incrementBy(leader, 10);
    nodes.put(away.name, new Node(away.name, away.disk.afterKill(), away.promised));
    cutOff.clear();
    untilAllAgree(leader);
    partition(leader).checkpoint();

    untilAllHaveTheCheckpointOf(leader);

    cutOff.add(leader.name);
    assertThat(value(leader())).isEqualTo(40);
  }

  /** Until the leader has dropped the start of its log. */
  private static void writeAndTruncate(Node leader) {
    for (int i = 0; i < 3; i++) {
      incrementBy(leader, 40);
      partition(leader).checkpoint();
    }
    // It retains what others have not acknowledged yet.
    until(
        "the leader has dropped some",
        () -> {
          partition(leader).maintenance().work();
          return partition(leader).journalStatus().firstRecord() > 1;
        });
  }

  @Test
  void leaderAndFollowersDropSegmentsCoveredByTheCheckpoints() {
    startAll();
    Node leader = leader();
    writeAndTruncate(leader);
    writeAndTruncate(leader);

    untilAllHaveTheCheckpointOf(leader);

    until(
        "followers have dropped segments",
        () -> nodes.values().stream().allMatch(node -> firstSegment(node) > 1));
    cutOff.add(leader.name);
    assertThat(value(leader())).isEqualTo(240);
  }

  private static int firstSegment(Node node) {
    return manifest(node).firstSegment();
  }

  @Test
  void aReplicaThatStartedEmptyTruncatesLikeTheOthers() {
    startAll();
    Node leader = leader();
    incrementBy(leader, 10);
    Node away = closeFollower(leader);
    Node again = new Node(Configuration.renewedName(away.name, 1), LossyDisk.empty(), 0);
    nodes.remove(away.name);
    nodes.put(again.name, again);
    cutOff.clear();
    until("it votes", () -> again.replica.status().isComplete());
    Node last = leader();
    untilAllAgree(last);
    assertThat(again.installs.get()).isZero();

    writeAndTruncate(last);

    until(
        "all have dropped the first records",
        () -> nodes.values().stream().allMatch(node -> node.replica.status().first() > 1));
  }

  @Test
  void aReplicaThatStartsEmptyGetsACheckpointAndTheRecordsAfterIt() {
    startAll();
    Node leader = leader();
    writeAndTruncate(leader);
    Node away = closeFollower(leader);
    incrementBy(leader, 7);

    Node again = new Node(Configuration.renewedName(away.name, 1), LossyDisk.empty(), 0);
    nodes.remove(away.name);
    nodes.put(again.name, again);
    cutOff.clear();

    until("it has a checkpoint", () -> again.installs.get() == 1);
    until(
        "it votes, and has everything",
        () ->
            again.replica.status().isComplete()
                && again.replica.status().role() == Replica.Role.FOLLOWING);
    Node last = leader();
    incrementBy(last, 2);
    untilAllAgree(last);
    partition(last).checkpoint();
    untilAllHaveTheCheckpointOf(last);
    nodes.values().stream()
        .filter(node -> node != again && node != last)
        .forEach(node -> cutOff.add(node.name));
    assertThat(value(last)).isEqualTo(129);
    Node third =
        nodes.values().stream().filter(one -> one != again && one != last).findAny().orElseThrow();
    cutOff.clear();
    untilAllAgree(last);
    cutOff.add(last.name);
    assertThat(value(leader())).isEqualTo(129);
    assertThat(third.replica.status().failure()).isEmpty();
  }
}
