package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.FileView;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The tables of a run, read where they are: the index by hash and the fences. Thread-safe, without
 * locks.
 *
 * <p>Each block is checked before it is used for the first time; two threads may check the same
 * one.
 */
final class RunTables {
  /**
   * After so many guesses a search goes on by halves: the hashes are not as even as they should.
   */
  private static final int MAX_GUESSES = 24;

  private final FileView file;
  private final String path;
  private final RunFooter footer;

  /** One bit for each block that was found right. */
  private final AtomicIntegerArray checked;

  RunTables(FileView file, String path, RunFooter footer) {
    this.file = file;
    this.path = path;
    this.footer = footer;
    this.checked = new AtomicIntegerArray((int) (footer.blocks() / Integer.SIZE + 1));
  }

  long slotHash(long slot) {
    long at = footer.indexAt() + slot * RunFormat.SLOT_BYTES;
    check(at, RunFormat.SLOT_BYTES);
    return file.getLong(at);
  }

  long slotLocation(long slot) {
    long at = footer.indexAt() + slot * RunFormat.SLOT_BYTES;
    check(at, RunFormat.SLOT_BYTES);
    return file.getLong(at + RunFormat.SLOT_LOCATION_AT);
  }

  /**
   * The first slot whose hash is not below another; the number of slots if there is none. An
   * interpolation search (Peterson 1957): hashes are even, so that a slot's place can be guessed to
   * within the square root of the distance, and from there again.
   */
  long firstAtOrAbove(long wanted) {
    long low = 0;
    long high = footer.entries();
    long guess = share(wanted, high);
    for (int guesses = 0; low < high; guesses++) {
      long slot = Math.max(low, Math.min(high - 1, guess));
      long found = slotHash(slot);
      if (Long.compareUnsigned(found, wanted) < 0) {
        low = slot + 1;
        guess = slot + Math.max(1, share(wanted - found, footer.entries()));
      } else {
        high = slot;
        guess = slot - Math.max(1, share(found - wanted, footer.entries()));
      }
      if (guesses >= MAX_GUESSES) {
        guess = (low + high) >>> 1;
      }
    }
    return low;
  }

  /** How many of {@code count} evenly spread hashes are below one. */
  private static long share(long unsigned, long count) {
    long high = Math.multiplyHigh(unsigned, count);
    return unsigned < 0 ? high + count : high;
  }

  /** The offset of an entry that no entry with an id at or above one lies before. */
  long offsetFor(byte[] id) {
    long low = 0;
    long high = footer.fences();
    long offset = RunFormat.HEADER_BYTES;
    while (low < high) {
      long middle = (low + high) >>> 1;
      byte[] fence = fence(middle);
      if (RunFormat.compareFence(fence, id) <= 0) {
        offset = RunFormat.fenceOffset(fence);
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return offset;
  }

  byte[] fence(long number) {
    long entry = footer.fenceTableAt() + number * Long.BYTES;
    check(entry, Long.BYTES);
    long at = file.getLong(entry);
    check(at, RunFormat.FENCE_HEAD_BYTES);
    byte[] head = file.get(at, RunFormat.FENCE_HEAD_BYTES);
    int length = RunFormat.getInt(head, RunFormat.FENCE_LENGTH_AT);
    if (length < 0 || length > RunFormat.MAX_FENCE_ID_BYTES) {
      throw Damage.at(path, at, "a fence of " + length + " bytes");
    }
    check(at, RunFormat.FENCE_HEAD_BYTES + length);
    return file.get(at, RunFormat.FENCE_HEAD_BYTES + length);
  }

  /** Makes sure that some bytes of the tables are what was written. */
  private void check(long at, int length) {
    long first = (at - footer.tablesAt()) / RunFormat.BLOCK_BYTES;
    long last = (at + length - 1 - footer.tablesAt()) / RunFormat.BLOCK_BYTES;
    for (long block = first; block <= last; block++) {
      int word = (int) (block / Integer.SIZE);
      int bit = 1 << block;
      if ((checked.getOpaque(word) & bit) == 0) {
        checkBlock(block);
        checked.accumulateAndGet(word, bit, (known, added) -> known | added);
      }
    }
  }

  /** Makes sure that a block is what was written, whether or not it was checked before. */
  void checkBlock(long block) {
    long at = footer.tablesAt() + block * RunFormat.BLOCK_BYTES;
    int length = (int) Math.min(RunFormat.BLOCK_BYTES, footer.sumsAt() - at);
    byte[] sum = file.get(footer.sumsAt() + block * RunFormat.SUM_BYTES, RunFormat.SUM_BYTES);
    if (RunFormat.crc32c(file.get(at, length), 0, length) != RunFormat.getInt(sum, 0)) {
      throw Damage.at(path, at, "the checksum of this block of the tables is wrong");
    }
  }
}
