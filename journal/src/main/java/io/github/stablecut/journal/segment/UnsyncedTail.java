package io.github.stablecut.journal.segment;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The frames at the end of a log without proof that they were synced. Being readable is no proof: a
 * sync may have failed. Confined to one thread.
 */
public final class UnsyncedTail {
  private record Frame(int segment, int from, int to, long sequence) {}

  private final Deque<Frame> frames = new ArrayDeque<>();
  private long synced;

  /** Removes the frames up to a sequence, which were synced. */
  public void markSynced(long sequence) {
    synced = Math.max(synced, sequence);
    while (!frames.isEmpty() && frames.getFirst().sequence() <= synced) {
      frames.removeFirst();
    }
  }

  /** Adds the frame at a cursor, which follows the frames added before. */
  public void add(SegmentCursor cursor) {
    int at = cursor.at();
    markSynced(RecordFormat.durableUpTo(cursor.bytes(), at));
    long sequence = RecordFormat.sequence(cursor.bytes(), at);
    if (sequence > synced) {
      frames.addLast(new Frame(cursor.segment(), at, cursor.end(), sequence));
    }
  }

  /** Whether the tail ends in a segment. */
  public boolean isIn(int segment) {
    return !frames.isEmpty() && frames.getLast().segment() == segment;
  }

  /** The start offset of the tail within its last segment. */
  public int from() {
    int last = frames.getLast().segment();
    return frames.stream()
        .filter(frame -> frame.segment() == last)
        .findFirst()
        .orElseThrow()
        .from();
  }

  /** The end offset of the tail. */
  public int to() {
    return frames.getLast().to();
  }
}
