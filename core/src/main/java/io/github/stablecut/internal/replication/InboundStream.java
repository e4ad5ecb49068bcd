package io.github.stablecut.internal.replication;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A stream that a partition receives: whom it asks, and when it did. Confined to one thread at a
 * time.
 */
final class InboundStream {
  /** Who can't provide the stream is asked again after so long. */
  private static final long UNABLE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** What has arrived is told so often at most: each message costs both sides. */
  private static final long TOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final int source;
  private int provider;
  private long heardAt;
  private long wantedAt;
  private long againAt;
  private boolean isAsking = true;
  private boolean isHeldUp;

  /** What has come since the provider was told of it last. */
  private long owedBytes;

  /** The last transaction of which the opening of the source is known that has committed it. */
  private long committedAt;

  private long opening;

  /** Who has truncated what comes next, and when that was told. */
  private final Map<Integer, Long> unable = new HashMap<>();

  /**
   * @param source the data centre that commits the transactions, which is asked first
   */
  InboundStream(int source, long now) {
    this.source = source;
    this.provider = source;
    this.heardAt = now;
    this.wantedAt = now;
    this.againAt = now;
  }

  int source() {
    return source;
  }

  /** The data centre that is asked for the stream. */
  int provider() {
    return provider;
  }

  /** Asks another data centre from now on. */
  void ask(int dataCentre, long now) {
    provider = dataCentre;
    heardAt = now;
    isAsking = true;
  }

  /** A part of the stream has come from a data centre. */
  void heard(int from, long now) {
    if (from == provider) {
      heardAt = now;
    }
  }

  /**
   * A transaction has come.
   *
   * @param newOpening of the source that has committed it; 0 if not known
   */
  void committedBy(long newOpening, long time) {
    committedAt = time;
    opening = newOpening;
  }

  /** The opening of the source that has committed a transaction; 0 if not known. */
  long openingAt(long time) {
    return time == committedAt ? opening : 0;
  }

  /** When the provider was last heard. */
  long heardAt() {
    return heardAt;
  }

  /** A data centre has truncated what comes next of the stream. */
  void unable(int dataCentre, long now) {
    var unused = unable.put(dataCentre, now);
  }

  /** Who can't provide what comes next. */
  Set<Integer> unable(long now) {
    var unused = unable.values().removeIf(told -> now - told > UNABLE_NANOS);
    return unable.keySet();
  }

  /** Transactions have arrived: the provider is to be told, soon. */
  void owe(long bytes) {
    owedBytes += bytes;
  }

  /**
   * Whether the provider is to be told what has arrived, or again that the stream is wanted.
   *
   * @param creditBytes what may be on its way: the provider hears of a part of it at once, so that
   *     it can go on
   */
  boolean isDue(long now, long intervalNanos, long creditBytes) {
    long since = now - wantedAt;
    return isAsking
        || since >= intervalNanos
        || owedBytes >= creditBytes / 4
        || (owedBytes > 0 && since >= TOLD_NANOS);
  }

  /** Something has come, and there was no room for it here. */
  void holdUp() {
    isHeldUp = true;
  }

  /** Whether there was no room for what came last. */
  boolean isHeldUp() {
    return isHeldUp;
  }

  /** There is room again. */
  void goOn() {
    isHeldUp = false;
  }

  /** The provider was told. */
  void wanted(long now) {
    wantedAt = now;
    isAsking = false;
    owedBytes = 0;
  }

  /** Whether it is time to ask again for what was lost; if so, that counts as done. */
  boolean takesAgain(long now, long intervalNanos) {
    if (now - againAt < intervalNanos) {
      return false;
    }
    againAt = now;
    return true;
  }
}
