package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Raises a node's clock to those of the other nodes when a client's token is ahead of it. A token
 * itself moves no clock: a forged one could send the whole cluster into the future. One that a node
 * has told is at or below that node's clock, so the nodes are asked for their clocks. Thread-safe.
 */
final class ClockCatchUp {
  /** A request waits so long at most for the clock to reach its token. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(2);

  private final String self;
  private final NodeClock clock;
  private final PendingRequests asks;
  private final MembershipView view;

  /** The round of requests that was begun last. Guarded by this. */
  private CompletableFuture<Void> running = CompletableFuture.completedFuture(null);

  /** The round that begins when that one ends, if {@link #isNextAwaited}. Guarded by this. */
  private CompletableFuture<Void> next = running;

  /** Guarded by this. */
  private boolean isNextAwaited;

  /**
   * @param self this node's name
   */
  ClockCatchUp(String self, NodeClock clock, PendingRequests asks, MembershipView view) {
    this.self = self;
    this.clock = clock;
    this.asks = asks;
    this.view = view;
  }

  /**
   * Waits until this node's clock is at or above a time. Gives up if no node's clock is, and this
   * one does not get there within two seconds by itself.
   */
  void await(long time) {
    if (clock.now() >= time) {
      return;
    }
    long deadline = System.nanoTime() + MAX_WAIT.toNanos();
    CompletableFuture<Void> round = round().copy();
    var unused = round.completeOnTimeout(null, MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS).join();
    // A node that can't be reached may have told it. Its clock is not far from this one's.
    Duration missing = clock.until(time);
    if (missing.compareTo(Duration.ofNanos(deadline - System.nanoTime())) < 0) {
      pause(missing);
    }
  }

  private static void pause(Duration time) {
    // A thread of a pool is replaced while it joins.
    var unused =
        new CompletableFuture<Void>()
            .completeOnTimeout(null, time.toMillis(), TimeUnit.MILLISECONDS)
            .join();
  }

  /** A round that begins after this call; requests that come during a round share the next. */
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
                .map(node -> asks.askNode(node, 0, new Request.Present(), MAX_WAIT))
                .map(answer -> answer.exceptionally(failure -> new Reply.Done()))
                .toArray(CompletableFuture<?>[]::new));
    return running;
  }
}
