package io.github.stablecut.internal.replication;

import io.github.stablecut.internal.partition.PartitionStreams;
import io.github.stablecut.internal.replication.ReplicationMessage.StreamRequest;
import io.github.stablecut.internal.stream.StreamReader;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A stream that a peer in another data centre reads from this one: its position and the bytes in
 * flight. Confined to one thread at a time.
 */
final class Subscription {
  /**
   * The maximum size of a message's transactions, in bytes, except for a single larger transaction.
   */
  private static final long MAX_PART_BYTES = 256 << 10;

  private final PartitionStreams streams;
  private final int source;

  /** The sent and unacknowledged batches. */
  private final Deque<SentBatch> inFlight = new ArrayDeque<>();

  private long inFlightBytes;
  private long credit;
  private long renewedAtNanos;
  private long sentAtNanos;
  private long sentThrough;
  private @Nullable StreamReader reader;

  private record SentBatch(long time, long bytes) {}

  Subscription(PartitionStreams streams, int source) {
    this.streams = streams;
    this.source = source;
  }

  /**
   * Processes the peer's request and acknowledgement.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if the requested transactions were
   *     truncated
   */
  void want(StreamRequest want, long nowNanos) {
    renewedAtNanos = nowNanos;
    credit = want.credit();
    StreamReader.Start start = want.start();
    StreamReader known = reader;
    if (known == null || want.isAgain() || start.last() > known.last()) {
      reader = streams.read(source, start);
      inFlight.clear();
      inFlightBytes = 0;
    }
    // Sent heartbeats may have been lost.
    sentThrough = Math.min(sentThrough, want.head().reached().get(source));
    while (!inFlight.isEmpty() && inFlight.element().time <= start.last()) {
      inFlightBytes -= inFlight.remove().bytes;
    }
  }

  /** The commit time of the last transaction read for the peer; 0 if there is none. */
  long last() {
    StreamReader known = reader;
    return known == null ? 0 : known.last();
  }

  /**
   * Returns the time at which the peer last renewed the subscription, by {@link System#nanoTime}.
   */
  long renewedAtNanos() {
    return renewedAtNanos;
  }

  /**
   * Returns the next part, if it has transactions or a heartbeat with a later time is due;
   * otherwise null.
   *
   * @param heartbeatNanos the interval after which a part without transactions is due
   * @throws io.github.stablecut.error.SnapshotTruncatedException if the next transactions were
   *     truncated
   */
  StreamReader.@Nullable Chunk next(long nowNanos, long heartbeatNanos) {
    StreamReader known = reader;
    if (known == null || inFlightBytes >= credit) {
      return null;
    }
    StreamReader.Chunk part = known.read(Math.min(MAX_PART_BYTES, credit - inFlightBytes));
    boolean isDue = part.through() > sentThrough && nowNanos - sentAtNanos >= heartbeatNanos;
    if (part.records().isEmpty() && !isDue) {
      return null;
    }
    long bytes = 0;
    for (byte[] record : part.records()) {
      bytes += record.length;
    }
    if (bytes > 0) {
      inFlight.add(new SentBatch(known.last(), bytes));
      inFlightBytes += bytes;
    }
    sentAtNanos = nowNanos;
    sentThrough = part.through();
    return part;
  }
}
