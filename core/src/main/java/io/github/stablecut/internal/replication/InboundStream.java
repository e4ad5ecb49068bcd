package io.github.stablecut.internal.replication;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A stream that a partition receives: its current provider and the times of requests. Confined to
 * one thread at a time.
 */
final class InboundStream {
  /** The time for which a data centre that can't provide the stream is not asked. */
  private static final long UNABLE_EXPIRY_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The minimum interval between acknowledgements, because each message costs both sides. */
  private static final long ACKNOWLEDGE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final int source;
  private int provider;
  private long heardAtNanos;
  private long requestedAtNanos;
  private long resendRequestedAtNanos;
  private boolean isRequestDue = true;
  private boolean isPaused;

  /** The bytes received since the last acknowledgement. */
  private long unacknowledgedBytes;

  /** The time of the last transaction whose opening of the source is known. */
  private long committedAtTime;

  private long opening;

  /** The data centres that have truncated the next transactions, and when they reported it. */
  private final Map<Integer, Long> unableAtNanos = new HashMap<>();

  /**
   * @param source the data centre that commits the transactions, which is the first provider
   */
  InboundStream(int source, long nowNanos) {
    this.source = source;
    this.provider = source;
    this.heardAtNanos = nowNanos;
    this.requestedAtNanos = nowNanos;
    this.resendRequestedAtNanos = nowNanos;
  }

  int source() {
    return source;
  }

  /** The data centre that provides the stream. */
  int provider() {
    return provider;
  }

  /** Switches to another provider. */
  void ask(int dataCentre, long nowNanos) {
    provider = dataCentre;
    heardAtNanos = nowNanos;
    isRequestDue = true;
  }

  /** Records that a part of the stream arrived from a data centre. */
  void heard(int from, long nowNanos) {
    if (from == provider) {
      heardAtNanos = nowNanos;
    }
  }

  /**
   * Records the opening of the last received transaction.
   *
   * @param newOpening the source's opening that committed it; 0 if unknown
   */
  void committedBy(long newOpening, long time) {
    committedAtTime = time;
    opening = newOpening;
  }

  /** Returns the source's opening that committed a transaction; 0 if unknown. */
  long openingAt(long time) {
    return time == committedAtTime ? opening : 0;
  }

  /** Returns the time at which the provider's last message arrived, by {@link System#nanoTime}. */
  long heardAtNanos() {
    return heardAtNanos;
  }

  /** Records that a data centre has truncated the next transactions of the stream. */
  void recordUnable(int dataCentre, long nowNanos) {
    unableAtNanos.put(dataCentre, nowNanos);
  }

  /** Returns the data centres that can't provide the next transactions. */
  Set<Integer> unable(long nowNanos) {
    unableAtNanos
        .values()
        .removeIf(reportedAtNanos -> nowNanos - reportedAtNanos > UNABLE_EXPIRY_NANOS);
    return unableAtNanos.keySet();
  }

  /** Records received bytes that must be acknowledged soon. */
  void addUnacknowledged(long bytes) {
    unacknowledgedBytes += bytes;
  }

  /**
   * Whether a request to the provider is due, to acknowledge received transactions or to renew the
   * subscription.
   *
   * @param creditBytes the credit: a part of it is acknowledged immediately, so that the provider
   *     can continue
   */
  boolean isDue(long nowNanos, long intervalNanos, long creditBytes) {
    long sinceNanos = nowNanos - requestedAtNanos;
    return isRequestDue
        || sinceNanos >= intervalNanos
        || unacknowledgedBytes >= creditBytes / 4
        || (unacknowledgedBytes > 0 && sinceNanos >= ACKNOWLEDGE_NANOS);
  }

  /** Records that a received part did not fit into the journal. */
  void pause() {
    isPaused = true;
  }

  /** Whether the stream waits for space in the journal. */
  boolean isPaused() {
    return isPaused;
  }

  /** Records that there is space again. */
  void resume() {
    isPaused = false;
  }

  /** Records that a request was sent. */
  void requested(long nowNanos) {
    requestedAtNanos = nowNanos;
    isRequestDue = false;
    unacknowledgedBytes = 0;
  }

  /** Returns whether a request to resend lost parts is due, and records it as sent if so. */
  boolean tryResendRequest(long nowNanos, long intervalNanos) {
    if (nowNanos - resendRequestedAtNanos < intervalNanos) {
      return false;
    }
    resendRequestedAtNanos = nowNanos;
    return true;
  }
}
