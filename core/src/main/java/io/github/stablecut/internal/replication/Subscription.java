package io.github.stablecut.internal.replication;

import io.github.stablecut.internal.partition.PartitionStreams;
import io.github.stablecut.internal.replication.ReplicationMessage.Want;
import io.github.stablecut.internal.stream.StreamReader;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A stream that a counterpart in another data centre reads here: how far it was sent, and what is
 * on its way. Confined to one thread at a time.
 */
final class Subscription {
  /** The most that one message carries, but for a single transaction that is larger. */
  private static final long MAX_PART_BYTES = 256 << 10;

  private final PartitionStreams streams;
  private final int source;

  /** What was sent and was not told to have arrived. */
  private final Deque<Sent> onItsWay = new ArrayDeque<>();

  private long bytesOnTheirWay;
  private long credit;
  private long wantedAt;
  private long toldAt;
  private long toldThrough;
  private @Nullable StreamReader reader;

  private record Sent(long time, long bytes) {}

  Subscription(PartitionStreams streams, int source) {
    this.streams = streams;
    this.source = source;
  }

  /**
   * Takes note of what the counterpart has and wants.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if what it wants is not kept
   */
  void want(Want want, long now) {
    wantedAt = now;
    credit = want.credit();
    StreamReader.Start start = want.start();
    StreamReader known = reader;
    if (known == null || want.isAgain() || start.last() > known.last()) {
      reader = streams.read(source, start);
      onItsWay.clear();
      bytesOnTheirWay = 0;
    }
    // What was told may have been lost.
    toldThrough = Math.min(toldThrough, want.head().reached().get(source));
    while (!onItsWay.isEmpty() && onItsWay.element().time <= start.last()) {
      bytesOnTheirWay -= onItsWay.remove().bytes;
    }
  }

  /** The commit time of the last transaction that was read for it; 0 if there is none. */
  long last() {
    StreamReader known = reader;
    return known == null ? 0 : known.last();
  }

  /** When the counterpart has last said that it wants the stream. */
  long wantedAt() {
    return wantedAt;
  }

  /**
   * The next part, if there are transactions in it, or it tells of a later time and that is due.
   *
   * @param heartbeatNanos how long after the last part one without transactions is due
   * @throws io.github.stablecut.error.SnapshotTruncatedException if what comes next is not kept
   */
  StreamReader.@Nullable Chunk next(long now, long heartbeatNanos) {
    StreamReader known = reader;
    if (known == null || bytesOnTheirWay >= credit) {
      return null;
    }
    StreamReader.Chunk part = known.read(Math.min(MAX_PART_BYTES, credit - bytesOnTheirWay));
    boolean isDue = part.through() > toldThrough && now - toldAt >= heartbeatNanos;
    if (part.records().isEmpty() && !isDue) {
      return null;
    }
    long bytes = 0;
    for (byte[] record : part.records()) {
      bytes += record.length;
    }
    if (bytes > 0) {
      onItsWay.add(new Sent(known.last(), bytes));
      bytesOnTheirWay += bytes;
    }
    toldAt = now;
    toldThrough = part.through();
    return part;
  }
}
