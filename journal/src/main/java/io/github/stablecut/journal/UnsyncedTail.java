package io.github.stablecut.journal;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The frames at the end of a log of which nothing says that they were synced. That they can be read
 * does not: a sync may have failed. Confined to one thread.
 */
final class UnsyncedTail {
  private record Frame(int segment, int from, int to, long sequence) {}

  private final Deque<Frame> frames = new ArrayDeque<>();
  private long synced;

  /** All frames up to a sequence were synced. */
  void synced(long sequence) {
    synced = Math.max(synced, sequence);
    while (!frames.isEmpty() && frames.getFirst().sequence() <= synced) {
      frames.removeFirst();
    }
  }

  /** Adds the frame at a cursor, which is behind those that were added. */
  void add(SegmentCursor cursor) {
    int at = cursor.at();
    synced(RecordFormat.durableUpTo(cursor.bytes(), at));
    long sequence = RecordFormat.sequence(cursor.bytes(), at);
    if (sequence > synced) {
      frames.addLast(new Frame(cursor.segment(), at, cursor.end(), sequence));
    }
  }

  /** Whether the tail ends in a segment. */
  boolean isIn(int segment) {
    return !frames.isEmpty() && frames.getLast().segment() == segment;
  }

  /** The offset at which the part of the tail in its last segment begins. */
  int from() {
    int last = frames.getLast().segment();
    return frames.stream()
        .filter(frame -> frame.segment() == last)
        .findFirst()
        .orElseThrow()
        .from();
  }

  /** The offset at which the tail ends. */
  int to() {
    return frames.getLast().to();
  }
}
