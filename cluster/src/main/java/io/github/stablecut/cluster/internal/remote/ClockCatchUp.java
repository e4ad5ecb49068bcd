package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Raises this node's clock to the clocks of the other nodes when a client's token is ahead of it.
 * The token itself moves no clock: a forged one could move the whole cluster into the future. A
 * genuine token is at or below the clock of the node that issued it, so this asks the nodes for
 * their clocks. Thread-safe.
 */
final class ClockCatchUp {
  /** The time for which a request waits for the clock to reach its token. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(2);

  private final String self;
  private final NodeClock clock;
  private final PendingRequests requests;
  private final MembershipView view;

  /** The latest round of requests. Guarded by this. */
  private CompletableFuture<Void> running = CompletableFuture.completedFuture(null);

  /** The round that follows it, if {@link #isNextAwaited}. Guarded by this. */
  private CompletableFuture<Void> next = running;

  /** Guarded by this. */
  private boolean isNextAwaited;

  /**
   * @param self this node's name
   */
  ClockCatchUp(String self, NodeClock clock, PendingRequests requests, MembershipView view) {
    this.self = self;
    this.clock = clock;
    this.requests = requests;
    this.view = view;
  }

  /**
   * Waits until this node's clock is at or above a time. Gives up after two seconds if neither
   * another node's clock nor the passing of time gets it there.
   */
  void await(long time) {
    if (clock.now() >= time) {
      return;
    }
    long deadlineNanos = System.nanoTime() + MAX_WAIT.toNanos();
    CompletableFuture<Void> round = round().copy();
    round.completeOnTimeout(null, MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS).join();
    // An unreachable node may have issued the token. Its clock is close to this one's.
    Duration missing = clock.until(time);
    if (missing.compareTo(Duration.ofNanos(deadlineNanos - System.nanoTime())) < 0) {
      pause(missing);
    }
  }

  private static void pause(Duration time) {
    // A pool compensates for a thread that is blocked in join.
    new CompletableFuture<Void>()
        .completeOnTimeout(null, time.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }

  /** Returns a round that begins after this call; callers during a round share the next one. */
  private synchronized CompletableFuture<Void> round() {
    if (isNextAwaited) {
      return next;
    }
    if (running.isDone()) {
      return begin();
    }
    isNextAwaited = true;
    next = running.thenCompose(done -> begin());
    return next;
  }

  private synchronized CompletableFuture<Void> begin() {
    isNextAwaited = false;
    running =
        CompletableFuture.allOf(
            view.nodes().keySet().stream()
                .filter(node -> !node.equals(self))
                .map(node -> requests.askNode(node, 0, new Request.Present(), MAX_WAIT))
                .map(answer -> answer.exceptionally(failure -> new Reply.Done()))
                .toArray(CompletableFuture<?>[]::new));
    return running;
  }
}
