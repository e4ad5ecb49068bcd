package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.ShardRoutes;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.crdt.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Messages for an owner use Akka's sharding only if it is known to reach that owner. */
class RoutesTest {
  private static final Reply ANSWER = new Reply.Vector(VectorClock.of(7));

  private static final List<MembershipView.Owner> OWNERS =
      List.of(owner(0, "n1", true), owner(1, "n2", true), owner(2, "n3", false));

  private final AtomicLong nanos = new AtomicLong(5);
  private final AtomicLong numbers = new AtomicLong();
  private final ShardRoutes routes = new ShardRoutes(nanos::get);

  private static MembershipView.Owner owner(int partition, String node, boolean isReachable) {
    return new MembershipView.Owner(partition, node, "127.0.0.1:1", 1, isReachable, 0);
  }

  /** The numbers of the probes, by partition. */
  private List<Long> tick() {
    List<Long> tried = new ArrayList<>();
    routes.tick(OWNERS, numbers::incrementAndGet, (owner, number) -> tried.add(number));
    return tried;
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos() + 1);
  }

  @Test
  void aRouteIsProvenByAReply() {
    assertThat(routes.isProven(0)).isFalse();
    List<Long> tried = tick();
    assertThat(tried).hasSize(2);
    assertThat(tick()).isEmpty();

    routes.onReply(tried.get(0), true);
    routes.onReply(tried.get(1), false);

    assertThat(routes.isProven(0)).isTrue();
    assertThat(routes.isProven(1)).isFalse();
    assertThat(tick()).hasSize(1);
  }

  @Test
  void probesAgainWithoutAReply() {
    List<Long> tried = tick();
    pass(ShardRoutes.PROBE_TIMEOUT);

    assertThat(tick()).hasSize(2);
    routes.onReply(tried.get(0), true);
    assertThat(routes.isProven(0)).isFalse();
  }

  @Test
  void sendsDirectlyToANewOwnerUntilAkkaKnowsIt() {
    tick().forEach(number -> routes.onReply(number, true));

    routes.ownerChanged(1);

    assertThat(routes.isProven(0)).isTrue();
    assertThat(routes.isProven(1)).isFalse();
    assertThat(tick()).isEmpty();
    pass(ShardRoutes.SETTLING);
    tick().forEach(number -> routes.onReply(number, true));
    assertThat(routes.isProven(1)).isTrue();
  }

  @Test
  void sendsDirectlyToAllAfterTheLossOfANode() {
    tick().forEach(number -> routes.onReply(number, true));

    routes.nodeLost(OWNERS);

    assertThat(routes.isProven(0)).isFalse();
    assertThat(routes.isProven(1)).isFalse();
    assertThat(tick()).isEmpty();
  }

  @Test
  void aReplyInTransitProvesNothing() {
    List<Long> tried = tick();
    routes.nodeLost(OWNERS);

    tried.forEach(number -> routes.onReply(number, true));

    assertThat(routes.isProven(0)).isFalse();
  }

  /** Records the route of each request. */
  private static final class RouteRecorder implements PendingRequests.Sender {
    private final List<String> taken = new ArrayList<>();
    private long tried;

    @Override
    public void send(int partition, long epoch, long number, Bytes request) {
      taken.add("entity");
      tried = number;
    }

    @Override
    public void sendTo(
        String address,
        int partition,
        long epoch,
        long number,
        Bytes request,
        Consumer<Boolean> done) {
      taken.add(address);
      done.accept(true);
    }

    @Override
    public void forget(long number) {
      // Nothing to forget.
    }
  }

  @Test
  void requestsUseTheProvenRoute() {
    MembershipView view = new MembershipView();
    RouteRecorder ways = new RouteRecorder();
    PendingRequests requests =
        new PendingRequests(
            view,
            ways,
            TrafficBudgets.shared("n1", 1 << 20).requestsOut(),
            Runnable::run,
            Duration.ofSeconds(5));
    view.publish(List.of(OWNERS.get(0)), Map.of("n1", "127.0.0.1:1"), List.of());

    requests.tell(0, new Request.ReleaseLease(1));
    requests.tick();
    requests.complete(ways.tried, ANSWER);
    requests.tell(0, new Request.ReleaseLease(1));
    view.publish(List.of(owner(0, "n2", true)), Map.of("n2", "127.0.0.1:1"), List.of());
    requests.tell(0, new Request.ReleaseLease(1));

    assertThat(ways.taken).containsExactly("127.0.0.1:1", "entity", "entity", "127.0.0.1:1");
  }
}
