package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.crdt.Bytes;
import java.time.Duration;

/** Loses all that is sent. */
public final class Nowhere implements PendingRequests.Sender {
  /** Requests that nobody gets. */
  public static PendingRequests requests(MembershipView view) {
    return new PendingRequests(
        view,
        new Nowhere(),
        TrafficBudgets.shared("n1", 1 << 20).requestsOut(),
        Runnable::run,
        Duration.ofSeconds(5));
  }

  @Override
  public void send(int partition, long epoch, long number, Bytes request) {
    // Nobody is there.
  }

  @Override
  public void sendTo(
      String address, int partition, long epoch, long number, Bytes request, Runnable done) {
    done.run();
  }

  @Override
  public void forget(long number) {
    // Nothing is kept.
  }
}
