package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads the entries of a run with ids in a range, from front to back through a window. Checks each
 * entry and their order. Confined to one thread.
 */
final class RunCursor implements EntryCursor {
  /** The size of the first window, small so that short scans are cheap. */
  private static final int FIRST_WINDOW_BYTES = RunFormat.FENCE_SPACING;

  private static final int MAX_WINDOW_BYTES = 64 << 10;

  private final RunFile run;
  private final byte[] from;
  private final byte @Nullable [] until;

  /** The bytes of the file from {@code windowAt} on. */
  private byte[] window = new byte[FIRST_WINDOW_BYTES];

  private long windowAt;
  private int windowEnd;
  private int next;

  /** The current entry; of a large one only its beginning, up to the end of its id. */
  private byte[] head = new byte[0];

  private long headAt;
  private int entryLength;
  private boolean hasEntry;

  RunCursor(RunFile run, IdRange range) {
    this.run = run;
    this.from = range.from().toArray();
    this.until = range.until().map(Bytes::toArray).orElse(null);
    this.windowAt = run.tables().offsetFor(from);
  }

  /** The file offset of the next entry. */
  long position() {
    return windowAt + next;
  }

  @Override
  public boolean advance() {
    while (position() < run.footer().entriesEnd()) {
      int length = nextLength();
      int at = next;
      long offset = position();
      if (hasEntry && RunFormat.compareIds(head, 0, window, at) >= 0) {
        throw Damage.at(run.path(), offset, "this entry's id is not above the previous one");
      }
      skip(length);
      if (!hasEntry && RunFormat.compareId(window, at, from) < 0) {
        continue;
      }
      if (until != null && RunFormat.compareId(window, at, until) >= 0) {
        return false;
      }
      head = Arrays.copyOfRange(window, at, at + headLength(at, length));
      headAt = offset;
      entryLength = length;
      hasEntry = true;
      return true;
    }
    return false;
  }

  /** Moves past an entry, of which the window may contain only the beginning. */
  private void skip(int length) {
    if (length <= windowEnd - next) {
      next += length;
    } else {
      windowAt = position() + length;
      next = 0;
      windowEnd = 0;
    }
  }

  @Override
  public byte[] head() {
    return head;
  }

  /** Reads a large entry on each call, so a merge of many runs need not hold one of each. */
  @Override
  public byte[] entry() {
    return head.length == entryLength ? head : run.read(headAt, entryLength);
  }

  /**
   * Checks the next entry and loads it into the window. Checks a large entry piece by piece, and
   * loads it only up to the end of its id.
   */
  private int nextLength() {
    long room = run.footer().entriesEnd() - position();
    if (room < RunFormat.ENTRY_HEAD_BYTES) {
      throw Damage.at(run.path(), position(), "the entries end inside an entry");
    }
    fill(RunFormat.ENTRY_HEAD_BYTES);
    int length = RunFormat.getInt(window, next + RunFormat.LENGTH_AT);
    run.checkLength(position(), length);
    int headLength = headLength(next, length);
    fill(headLength);
    if (headLength == length && !RunFormat.isEntry(window, next, length)) {
      throw Damage.at(run.path(), position(), "the checksum of this entry is wrong");
    }
    return length;
  }

  /** The number of bytes to hold of an entry: all, or up to the end of its id. */
  private int headLength(int at, int length) {
    return length <= RunFile.MAX_UNCHECKED_BYTES
        ? length
        : Math.min(length, RunFormat.ENTRY_HEAD_BYTES + RunFormat.idLength(window, at));
  }

  /** Fills the window with at least this many bytes from the next entry on; the file has them. */
  private void fill(int needed) {
    if (windowEnd - next >= needed) {
      return;
    }
    windowAt += next;
    next = 0;
    boolean isFirst = windowEnd == 0;
    int size = isFirst ? window.length : Math.min(2 * window.length, MAX_WINDOW_BYTES);
    if (window.length != Math.max(size, needed)) {
      window = new byte[Math.max(size, needed)];
    }
    windowEnd = (int) Math.min(window.length, run.footer().entriesEnd() - windowAt);
    run.file().get(windowAt, window, 0, windowEnd);
  }
}
