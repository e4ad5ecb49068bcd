package io.github.stablecut.cluster.internal.link;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A run of another node, and the connections to it, at most one for each event loop. After one
 * could not be made, or has ended, the next is made after a pause. Thread-safe.
 */
final class Peer {
  /** The first pause; each further one is twice as long. */
  static final long FIRST_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

  private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(30).toNanos();

  /** One connection, from the decision to make it to its end. Compared by identity. */
  static final class Attempt {
    private final int loop;

    private Attempt(int loop) {
      this.loop = loop;
    }

    /** The number of its event loop. */
    int loop() {
      return loop;
    }
  }

  final LinkAddress to;
  private final AtomicReferenceArray<@Nullable ClientEnd> ends;

  /** The connections that are there or being made, by event loops. */
  @GuardedBy("this")
  private final Map<Integer, Attempt> begun = new HashMap<>();

  /** When the next connection may be made. */
  @GuardedBy("this")
  private long nextNanos;

  @GuardedBy("this")
  private long pauseNanos = FIRST_PAUSE_NANOS;

  Peer(LinkAddress to, int loops, long now) {
    this.to = to;
    this.nextNanos = now;
    this.ends = new AtomicReferenceArray<>(loops);
  }

  /** The connection of an event loop; null if there is none yet. */
  @Nullable ClientEnd end(int loop) {
    return ends.get(loop);
  }

  /** The connections that are there. */
  void forEach(Consumer<ClientEnd> action) {
    for (int i = 0; i < ends.length(); i++) {
      ClientEnd end = ends.get(i);
      if (end != null) {
        action.accept(end);
      }
    }
  }

  /** A connection is to be made; null if one is there or being made, or it is too early. */
  synchronized @Nullable Attempt begin(int loop, long now) {
    if (now - nextNanos < 0 || begun.containsKey(loop)) {
      return null;
    }
    Attempt attempt = new Attempt(loop);
    var unused = begun.put(loop, attempt);
    return attempt;
  }

  /**
   * A connection is there.
   *
   * @return false if it has ended
   */
  synchronized boolean made(Attempt attempt, ClientEnd end) {
    boolean isBegun = begun.get(attempt.loop) == attempt;
    if (isBegun) {
      ends.set(attempt.loop, end);
    }
    return isBegun;
  }

  /** A connection has ended, or could not be made. Both may be said of one: the first counts. */
  synchronized void ended(Attempt attempt, long now) {
    if (!begun.remove(attempt.loop, attempt)) {
      return;
    }
    ends.set(attempt.loop, null);
    if (now - nextNanos >= 0) {
      nextNanos = now + pauseNanos;
      pauseNanos = Math.min(LONGEST_PAUSE_NANOS, 2 * pauseNanos);
    }
  }

  /** Closes connections whose other end is silent. By one thread, several times per second. */
  void tick(long now) {
    forEach(
        end -> {
          end.tick(now);
          if (end.isReady) {
            worked();
          }
        });
  }

  private synchronized void worked() {
    pauseNanos = FIRST_PAUSE_NANOS;
  }
}
