package io.github.stablecut.cluster.internal.link;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An incarnation of another node, and the connections to it, at most one per event loop. Backs off
 * before reconnecting after a failed or ended connection. Thread-safe.
 */
final class Peer {
  /** The first back-off; each further one is twice as long. */
  static final long FIRST_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

  private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(30).toNanos();

  /** A connection from the decision to make it until its end. Compared by identity. */
  static final class Attempt {
    private final int loop;

    private Attempt(int loop) {
      this.loop = loop;
    }

    /** Returns the number of its event loop. */
    int loop() {
      return loop;
    }
  }

  final LinkAddress to;
  private final AtomicReferenceArray<@Nullable ClientEnd> ends;

  /** The connections that exist or are in progress, by event loop. */
  @GuardedBy("this")
  private final Map<Integer, Attempt> attempts = new HashMap<>();

  /** The time at which the next connection may start. */
  @GuardedBy("this")
  private long nextNanos;

  @GuardedBy("this")
  private long pauseNanos = FIRST_PAUSE_NANOS;

  Peer(LinkAddress to, int loops, long nowNanos) {
    this.to = to;
    this.nextNanos = nowNanos;
    this.ends = new AtomicReferenceArray<>(loops);
  }

  /** Returns the connection of an event loop; null if there is none yet. */
  @Nullable ClientEnd end(int loop) {
    return ends.get(loop);
  }

  /** Runs an action for each existing connection. */
  void forEach(Consumer<ClientEnd> action) {
    for (int i = 0; i < ends.length(); i++) {
      ClientEnd end = ends.get(i);
      if (end != null) {
        action.accept(end);
      }
    }
  }

  /** Starts an attempt; null if a connection exists, is in progress or must back off. */
  synchronized @Nullable Attempt begin(int loop, long nowNanos) {
    if (nowNanos - nextNanos < 0 || attempts.containsKey(loop)) {
      return null;
    }
    Attempt attempt = new Attempt(loop);
    attempts.put(loop, attempt);
    return attempt;
  }

  /**
   * Records a made connection.
   *
   * @return false if the attempt has ended
   */
  synchronized boolean made(Attempt attempt, ClientEnd end) {
    boolean isCurrent = attempts.get(attempt.loop) == attempt;
    if (isCurrent) {
      ends.set(attempt.loop, end);
    }
    return isCurrent;
  }

  /** Records that a connection ended or could not be made; repeated calls have no effect. */
  synchronized void ended(Attempt attempt, long nowNanos) {
    if (!attempts.remove(attempt.loop, attempt)) {
      return;
    }
    ends.set(attempt.loop, null);
    if (nowNanos - nextNanos >= 0) {
      nextNanos = nowNanos + pauseNanos;
      pauseNanos = Math.min(LONGEST_PAUSE_NANOS, 2 * pauseNanos);
    }
  }

  /** Closes silent connections. Called by one thread, several times per second. */
  void tick(long nowNanos) {
    forEach(
        end -> {
          end.tick(nowNanos);
          if (end.isReady) {
            resetPause();
          }
        });
  }

  private synchronized void resetPause() {
    pauseNanos = FIRST_PAUSE_NANOS;
  }
}
