package io.github.stablecut.journal;

import io.github.stablecut.journal.segment.LogSpace;
import io.github.stablecut.journal.segment.SegmentStore;
import java.io.IOException;

/**
 * Refuses records while the disk has too little free space. Each group refreshes the figure, and a
 * refusal reads it again first, so freed space counts at once. Thread-safe.
 */
final class DiskReserve {
  private final SegmentStore store;
  private final JournalOptions options;
  private volatile long usableBytes;

  DiskReserve(SegmentStore store, JournalOptions options) {
    this.store = store;
    this.options = options;
    update();
  }

  /** Reads the free space. If that fails, the next check reports why. */
  void update() {
    try {
      usableBytes = store.usableBytes();
    } catch (IOException e) {
      usableBytes = 0;
    }
  }

  /**
   * Throws {@link DiskFullException} if this many more bytes would use the reserve.
   *
   * @throws JournalFailedException if the directory was deleted
   */
  void check(int bytes) {
    if (leavesTooLittle(bytes)) {
      try {
        usableBytes = store.usableBytes();
      } catch (IOException e) {
        throw JournalFailedException.because(options.name(), "can't be written", e);
      }
      if (leavesTooLittle(bytes)) {
        throw new DiskFullException(
            "%s: %,d bytes are free, and %,d are kept in reserve: free some space, and commits succeed again"
                .formatted(options.name(), usableBytes, options.reserveBytes()));
      }
    }
  }

  /** Whether {@link #check} passes without reading the free space. */
  boolean isEnough() {
    return !leavesTooLittle(0);
  }

  /** The space left after this many more bytes. */
  LogSpace room(long bytes) {
    LogSpace known = knownRoom(bytes);
    if (known != LogSpace.ENOUGH) {
      update();
    }
    return knownRoom(bytes);
  }

  private LogSpace knownRoom(long bytes) {
    long left = usableBytes - bytes;
    if (left >= options.reserveBytes()) {
      return LogSpace.ENOUGH;
    }
    return left >= options.reserveBytes() / 2 ? LogSpace.LITTLE : LogSpace.NONE;
  }

  private boolean leavesTooLittle(int bytes) {
    return usableBytes - bytes < options.reserveBytes();
  }
}
