package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.replica.LogRecord;
import io.github.stablecut.internal.replica.ReplicaMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The replicas of node n1 send messages to replicas on other nodes. */
class ReplicaMessengerTest {
  private static final int BYTES = 200_000;
  private static final String SLOW = "n2";
  private static final String FAST = "n3";

  private final MembershipView view = new MembershipView();
  private final List<String> sent = new ArrayList<>();

  /** The partitions whose messages were refused. */
  private final List<Integer> refused = new ArrayList<>();

  private long number;

  /** The callbacks of messages that the network has not accepted yet. */
  private final List<Consumer<Boolean>> waiting = new ArrayList<>();

  private final PendingRequests requests =
      Nowhere.requests(
          view,
          new Slow(),
          TrafficBudgets.shared("n1", 1 << 20).requestsOut(),
          Runnable::run,
          Duration.ofSeconds(5));
  private final ReplicaMessenger messages =
      new ReplicaMessenger(plan(List.of("n1", "n2", "n3")), requests, BYTES);

  ReplicaMessengerTest() {
    view.publish(List.of(), Map.of(SLOW, "127.0.0.1:2", FAST, "127.0.0.1:3"), List.of());
  }

  private final class Slow extends Nowhere {

    @Override
    public void send(
        String node,
        int partition,
        long epoch,
        long number,
        Bytes request,
        Consumer<Boolean> done) {
      sent.add(node + " " + partition);
      ReplicaMessengerTest.this.number = number;
      if (node.equals(SLOW)) {
        waiting.add(done);
      } else {
        done.accept(true);
      }
    }

    @Override
    public void forget(long forgotten) {
      assertThat(forgotten).isEqualTo(number);
    }
  }

  private static NodePlan plan(List<String> nodes) {
    return NodePlan.builder(7, "n1", nodes)
        .isFormed(true)
        .replicas(nodes.stream().map(node -> nodes).toList())
        .keepers(List.of("n1"))
        .build();
  }

  private void send(int partition, String to, int bytes) {
    List<LogRecord> records = List.of(new LogRecord((byte) 1, new byte[bytes]));
    messages.send(
        partition,
        new Request.ToReplica("n1", to, new ReplicaMessage.Group(1, 1, 0, 1, records, 1)),
        () -> refused.add(partition));
  }

  @Test
  void anUnresponsiveNodeDoesNotDelayOthers() {
    send(0, "n2", 60_000);
    send(1, "n2", 60_000);
    send(0, "n2", 60_000);
    assertThat(sent).as("it has half of the memory").containsExactly(SLOW + " 0");
    assertThat(messages.isSending(0, "n2")).isTrue();
    assertThat(messages.isSending(0, "n3")).isFalse();

    send(0, "n3", 60_000);
    send(0, "n3", 60_000);
    send(1, "n3", 60_000);

    assertThat(sent).containsExactly(SLOW + " 0", FAST + " 0", FAST + " 0", FAST + " 1");
    waiting.remove(0).accept(true);
    assertThat(sent).endsWith(SLOW + " 1").hasSize(5);
    assertThat(messages.isSending(0, "n2")).isFalse();
    assertThat(messages.sentBytes(1).sum()).isGreaterThan(120_000);
  }

  @Test
  void aNodesShareOfMemoryGrowsWithFewerNodes() {
    messages.place(plan(List.of("n1", "n2", "n3", "n4", "n5")));
    send(0, "n2", 40_000);
    send(1, "n2", 40_000);
    assertThat(sent).as("it has a quarter of the memory").containsExactly(SLOW + " 0");

    messages.place(plan(List.of("n1", "n2", "n3")));
    send(2, "n2", 40_000);
    send(3, "n2", 40_000);

    assertThat(sent).containsExactly(SLOW + " 0", SLOW + " 2", SLOW + " 3");
  }

  @Test
  void notifiesAReplicaThatALargeMessageWasRefused() {
    send(3, "n3", 60_000);
    assertThat(refused).isEmpty();

    requests.complete(number, new Reply.Busy("full"));

    assertThat(refused).containsExactly(3);
  }
}
