package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.journal.testing.LossySegments;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Three replicas, one of whose disks damages the last acknowledged record. */
final class DamagedReplicaTest extends ThreeReplicas {
  private static final int ROUNDS = 10;

  /** How often replicas have exchanged the ends of their logs before an election. */
  private final AtomicInteger answers = new AtomicInteger();

  @Override
  void pass(String from, String to, ReplicaMessage message) {
    if (message instanceof ReplicaMessage.PreVote && !cutOff.contains(from)) {
      answers.incrementAndGet();
    }
    super.pass(from, to, message);
  }

  /** A disk with a flipped bit in the last record. */
  private static LossyDisk damaged(LossyDisk disk) {
    LossySegments journal = disk.journal();
    int last = journal.segments().get(journal.segments().size() - 1);
    byte[] contents = journal.contents(last);
    int end = contents.length;
    while (contents[end - 1] == 0) {
      end--;
    }
    contents[end - 1] ^= 4;
    journal.replace(last, contents);
    return disk;
  }

  @Test
  void aReplicaThatLostAcknowledgedRecordsDoesNotVoteUntilItHasThemAgain() {
    startAll();
    Node first = leader();
    incrementBy(first, 10);
    Node late = closeFollower(first);
    incrementBy(first, 5);
    Node witness = node(nameBeside(first, late.name));
    LossyDisk left = damaged(witness.disk.afterKill());
    witness.replica.close();
    cutOff.add(first.name);

    Node shortened = new Node(witness.name, left, witness.promised);
    nodes.put(shortened.name, shortened);
    nodes.put(late.name, new Node(late.name, late.disk.afterKill(), late.promised));
    cutOff.remove(late.name);

    assertThat(shortened.shortened).isPositive();
    int before = answers.get();
    until(
        "both have asked each other again and again",
        () ->
            answers.get() > before + ROUNDS
                || reachable().stream().anyMatch(node -> node.leading != null));
    assertThat(reachable()).extracting(node -> node.leading).containsOnlyNulls();

    cutOff.clear();
    assertThat(value(leader())).isEqualTo(15);
    until("the vote of the damaged replica counts again", () -> shortened.shortened == 0);
    cutOff.add(first.name);
    assertThat(value(leader())).isEqualTo(15);
  }

  /** The replica that is neither of two. */
  private static String nameBeside(Node one, String other) {
    return NAMES.stream()
        .filter(name -> !name.equals(one.name) && !name.equals(other))
        .findFirst()
        .orElseThrow();
  }
}
