package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.crdt.Bytes;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A reachable node that has led a partition must prove that it still leads it. */
class LeaderProofTest {
  /** Replies at once; nodes without a configured reply stay silent. */
  private final class Leaders extends Nowhere {
    private final Map<Integer, Reply> answers = new HashMap<>();

    @Override
    public void send(
        String node,
        int partition,
        long epoch,
        long number,
        Bytes request,
        Consumer<Boolean> done) {
      done.accept(true);
      if (answers.containsKey(partition)) {
        requests.complete(number, answers.get(partition));
      }
    }
  }

  private final MembershipView view = new MembershipView();
  private final Leaders leaders = new Leaders();
  private final PendingRequests requests =
      Nowhere.requests(
          view,
          leaders,
          new TrafficBudget("requests", 50_000, Long.MAX_VALUE),
          Runnable::run,
          Duration.ofSeconds(5));

  @Test
  void onlyALeaderWithAMajorityAnswers() throws InterruptedException {
    view.recordPlan(true);
    view.publish(
        IntStream.range(0, 4)
            .mapToObj(number -> new MembershipView.Owner(number, "n2", "host:2", 1, number != 3, 0))
            .toList(),
        Map.of("n2", "host:2"),
        List.of());
    leaders.answers.put(0, new Reply.Vector(VectorClock.ZERO));
    leaders.answers.put(2, new Reply.Stale(2));
    leaders.answers.put(3, new Reply.Vector(VectorClock.ZERO));

    LeaderProof proof = new LeaderProof(requests, Duration.ofMillis(1));

    assertThat(proof.missing(List.of(0, 1, 2, 3))).containsExactly(1, 2, 3);
    assertThat(proof.missing(List.of(0))).isEmpty();
  }
}
