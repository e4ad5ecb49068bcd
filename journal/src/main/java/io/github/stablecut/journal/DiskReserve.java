package io.github.stablecut.journal;

import java.io.IOException;

/**
 * Refuses records while there is too little room on the disk. The figure is refreshed with each
 * group, and read again before a refusal, so that room that was made counts at once. Thread-safe.
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

  /** Asks how much room there is now. If nobody knows, the next check finds out why. */
  void update() {
    try {
      usableBytes = store.usableBytes();
    } catch (IOException e) {
      usableBytes = 0;
    }
  }

  /**
   * Throws {@link DiskFullException} if so many bytes more would use the reserve.
   *
   * @throws JournalFailedException if the directory is gone
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
            "%s: %,d bytes are free, and %,d are kept in reserve: make room; commits then work again"
                .formatted(options.name(), usableBytes, options.reserveBytes()));
      }
    }
  }

  /** Whether {@link #check} need not ask the disk. */
  boolean isEnough() {
    return !leavesTooLittle(0);
  }

  /** How much there is if so many bytes more are written. */
  LogSpace room(long bytes) {
    LogSpace known = roomAsKnown(bytes);
    if (known != LogSpace.ENOUGH) {
      update();
    }
    return roomAsKnown(bytes);
  }

  private LogSpace roomAsKnown(long bytes) {
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
