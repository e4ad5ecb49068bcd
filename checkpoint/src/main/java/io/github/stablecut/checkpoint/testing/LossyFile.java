package io.github.stablecut.checkpoint.testing;

import java.util.Arrays;
import java.util.BitSet;
import java.util.function.IntPredicate;

/**
 * A file of a {@link LossyDirectory}: its written bytes, and those on the disk. Guarded by the
 * directory's lock.
 */
final class LossyFile {
  static final int PAGE_BYTES = 4096;

  private byte[] written = new byte[0];
  private int length;
  private byte[] forced = new byte[0];
  private final BitSet dirtyPages = new BitSet();

  int length() {
    return length;
  }

  /** The file's bytes, followed by spare capacity. */
  byte[] bytes() {
    return written;
  }

  void append(byte[] source, int from, int count) {
    int end = length + count;
    if (end > written.length) {
      written = Arrays.copyOf(written, Math.max(end, 2 * written.length));
    }
    System.arraycopy(source, from, written, length, count);
    if (count > 0) {
      dirtyPages.set(length / PAGE_BYTES, (end - 1) / PAGE_BYTES + 1);
    }
    length = end;
  }

  void force() {
    forced = Arrays.copyOf(written, length);
    dirtyPages.clear();
  }

  void overwrite(int offset, byte value) {
    written[offset] = value;
    forced[offset] = value;
  }

  /** Zeroes the content at once, also for open views, as deleting a file on a disk does. */
  void wipe() {
    Arrays.fill(written, (byte) 0);
  }

  /** The number of unforced pages, plus one for the length if the file has grown. */
  int unforcedItems() {
    return dirtyPages.cardinality() + (length > forced.length ? 1 : 0);
  }

  LossyFile afterPowerCut(IntPredicate survives) {
    LossyFile next = new LossyFile();
    byte[] disk = Arrays.copyOf(forced, length);
    int end = forced.length;
    int item = 0;
    for (int p = dirtyPages.nextSetBit(0); p >= 0; p = dirtyPages.nextSetBit(p + 1)) {
      if (survives.test(item++)) {
        int start = p * PAGE_BYTES;
        int stop = Math.min(length, start + PAGE_BYTES);
        System.arraycopy(written, start, disk, start, stop - start);
        end = Math.max(end, stop);
      }
    }
    if (length > forced.length && survives.test(item)) {
      end = length;
    }
    next.append(disk, 0, end);
    next.force();
    return next;
  }

  void empty() {
    length = 0;
    written = new byte[0];
    force();
  }
}
