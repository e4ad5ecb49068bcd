package io.github.stablecut.cluster.internal.link;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.log.Log;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * An incarnation of another node, and the connections to it: one per event loop, and one for large
 * messages. Backs off before reconnecting after a failed or ended connection. Thread-safe.
 */
final class Peer {
  private static final Logger LOG = Log.of(Peer.class);

  /** The first back-off; each further one is twice as long. */
  static final long FIRST_PAUSE_NANOS = Duration.ofMillis(100).toNanos();

  private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(3).toNanos();

  /** A node that can't be reached for this time, although it is a member, is reported. */
  static final long REPORT_NANOS = Duration.ofSeconds(10).toNanos();

  /** A connection from the decision to make it until its end. Compared by identity. */
  static final class Attempt {
    private final int number;

    private Attempt(int number) {
      this.number = number;
    }

    /** Returns the number of the connection. */
    int number() {
      return number;
    }
  }

  final LinkAddress to;
  private final AtomicReferenceArray<@Nullable ClientEnd> ends;

  /** The connections that exist or are in progress, by number. */
  @GuardedBy("this")
  private final Map<Integer, Attempt> attempts = new HashMap<>();

  /** The time at which the next connection may start. */
  @GuardedBy("this")
  private long nextNanos;

  @GuardedBy("this")
  private long pauseNanos = FIRST_PAUSE_NANOS;

  /** The time at which the last connection was ready, or the first one should have been. */
  @GuardedBy("this")
  private long readyNanos;

  /** The reason why the last connection ended or could not be made. */
  @GuardedBy("this")
  private String failure = "";

  /** The number that it was last told of by {@link LinkFrame.Answered}; confined as below. */
  private long answered = Long.MIN_VALUE;

  /** Whether it was logged that the node can't be reached. Confined to the thread that ticks. */
  private boolean isReported;

  Peer(LinkAddress to, int connections, long nowNanos) {
    this.to = to;
    this.nextNanos = nowNanos;
    this.readyNanos = nowNanos;
    this.ends = new AtomicReferenceArray<>(connections);
  }

  /** Returns the connection with a number; null if there is none yet. */
  @Nullable ClientEnd end(int number) {
    return ends.get(number);
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
  synchronized @Nullable Attempt begin(int number, long nowNanos) {
    if (nowNanos - nextNanos < 0 || attempts.containsKey(number)) {
      return null;
    }
    Attempt attempt = new Attempt(number);
    attempts.put(number, attempt);
    return attempt;
  }

  /**
   * Records a made connection.
   *
   * @return false if the attempt has ended
   */
  synchronized boolean made(Attempt attempt, ClientEnd end) {
    boolean isCurrent = attempts.get(attempt.number) == attempt;
    if (isCurrent) {
      ends.set(attempt.number, end);
    }
    return isCurrent;
  }

  /** Records that a connection ended or could not be made; repeated calls have no effect. */
  synchronized void ended(Attempt attempt, String why, long nowNanos) {
    if (!attempts.remove(attempt.number, attempt)) {
      return;
    }
    ends.set(attempt.number, null);
    failure = why;
    if (nowNanos - nextNanos >= 0) {
      nextNanos = nowNanos + pauseNanos;
      pauseNanos = Math.min(LONGEST_PAUSE_NANOS, 2 * pauseNanos);
    }
  }

  /**
   * Closes silent connections. Called by one thread, several times per second.
   *
   * @param oldestWrite the lowest number of a write whose reply this node may await
   */
  void tick(long nowNanos, long oldestWrite) {
    ClientEnd first = ends.get(0);
    if (oldestWrite != answered
        && first != null
        && first.tryWrite(new LinkFrame.Answered(oldestWrite))) {
      answered = oldestWrite;
    }
    forEach(
        end -> {
          end.tick(nowNanos);
          if (end.isReady) {
            recordReady(nowNanos);
          }
        });
    boolean isLost = problem(nowNanos).isPresent();
    if (isLost && !isReported) {
      problem(nowNanos).ifPresent(LOG::warn);
    } else if (!isLost && isReported) {
      LOG.info("node {} can be reached at its data port again", to.name());
    }
    isReported = isLost;
  }

  /** Returns that the node's data port can't be reached, if so for a while. */
  synchronized Optional<String> problem(long nowNanos) {
    return nowNanos - readyNanos > REPORT_NANOS ? Optional.of(missing()) : Optional.empty();
  }

  /** Says that the data port can't be reached, and what to check. */
  synchronized String missing() {
    return "node %s can't be reached at its data port, %s:%d, although it is a member%s: open the port in firewalls (cluster.data-port)"
        .formatted(to.name(), to.host(), to.port(), failure.isEmpty() ? "" : " (" + failure + ")");
  }

  private synchronized void recordReady(long nowNanos) {
    readyNanos = nowNanos;
    pauseNanos = FIRST_PAUSE_NANOS;
  }
}
