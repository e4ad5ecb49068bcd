package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.journal.DiskFullException;
import io.github.stablecut.journal.segment.LogSpace;
import io.github.stablecut.journal.testing.LossySegments;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Three replicas with full disks. */
final class ReplicasDiskTest extends ThreeReplicas {
  private static final int RESERVE = 8_000;

  /** The reserve that a following replica does not write into. */
  private static final int LAST = RESERVE / 2;

  @Override
  int reserveBytes() {
    return RESERVE;
  }

  private List<Node> followersOf(Node leader) {
    return nodes.values().stream().filter(node -> node != leader).toList();
  }

  /** Leaves that many bytes on a disk. */
  private static void fill(Node node, long left) {
    LossySegments journal = node.disk.journal();
    journal.setCapacity(Long.MAX_VALUE);
    journal.setCapacity(Long.MAX_VALUE - journal.usableBytes() + left);
  }

  private static void makeRoom(Node node) {
    node.disk.journal().setCapacity(Long.MAX_VALUE);
  }

  private static boolean isFull(Node leader, Node follower) {
    return leader.replica.status().followers().stream()
        .anyMatch(one -> one.replica().equals(follower.name) && one.isFull());
  }

  @Test
  void aFollowerWithAFullDiskStopsReportsItAndCatchesUpWithRoom() {
    startAll();
    Node leader = leader();
    incrementBy(leader, 5);
    Node full = followersOf(leader).get(0);
    fill(full, RESERVE + 500);

    incrementBy(leader, 200);

    until(
        "it has no room for the next group",
        () -> full.disk.journal().usableBytes() < LAST + 1_000L);
    incrementBy(leader, 50);
    until("the leader knows", () -> isFull(leader, full));
    assertThat(full.disk.journal().usableBytes()).isBetween(LAST - 1_000L, LAST + 1_000L);
    assertThat(full.replica.status().failure()).isEmpty();
    assertThat(full.replica.status().next()).isLessThan(leader.replica.status().next());
    makeRoom(full);
    untilAllAgree(leader);
    until("the leader knows", () -> !isFull(leader, full));
    assertThat(value(leader)).isEqualTo(255);
  }

  @Test
  void refusesCommitsWhenNoMajorityHasRoomAndServesReads() {
    startAll();
    Node leader = leader();
    incrementBy(leader, 5);
    followersOf(leader).forEach(node -> fill(node, RESERVE - 100));
    until(
        "the leader knows",
        () -> followersOf(leader).stream().allMatch(one -> isFull(leader, one)));

    assertThatThrownBy(() -> increment(partition(leader)).join())
        .isInstanceOf(DiskFullException.class)
        .hasMessageContaining("too few replicas of the partition have enough disk space")
        .hasMessageContaining(followersOf(leader).get(0).name);

    assertThat(value(leader)).isEqualTo(5);
    makeRoom(followersOf(leader).get(0));
    until("one has room", () -> !isFull(leader, followersOf(leader).get(0)));
    incrementBy(leader, 1);
    assertThat(value(leader)).isEqualTo(6);
  }

  @Test
  void aLeaderWithAFullDiskRefusesCommits() {
    startAll();
    Node leader = leader();
    incrementBy(leader, 5);
    fill(leader, RESERVE - 100);
    until("it knows", () -> leader.replica.status().room() == LogSpace.LITTLE);

    assertThatThrownBy(() -> increment(partition(leader)).join())
        .isInstanceOf(DiskFullException.class);

    makeRoom(leader);
    CompletableFuture<?> again = increment(partition(leader));
    again.join();
    assertThat(value(leader)).isEqualTo(6);
  }
}
