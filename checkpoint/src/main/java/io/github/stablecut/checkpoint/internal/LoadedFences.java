package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.FileView;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The fences of a run in memory: they lead to the entry of an object without a look at the tables
 * on the disk. Immutable.
 *
 * <p>They take about four thousandths of the run's entries, and the filter ten bits for each entry:
 * some 20 MB for ten million entries of 150 bytes. All runs of a process together have a twentieth
 * of the heap for both ({@link #SHARE_OF_HEAP}); a run that finds too little left for both keeps
 * the fences, and one that has no room for these is read by its index.
 */
final class LoadedFences {
  private static final int SHARE_OF_HEAP = 20;

  private static final AtomicLong ROOM =
      new AtomicLong(Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);

  /** The fences, one after the other, as in the file. */
  private final byte[] fences;

  /** Where each begins, and where the last one ends. */
  private final int[] starts;

  private LoadedFences(byte[] fences, int[] starts) {
    this.fences = fences;
    this.starts = starts;
  }

  /** How many bytes the fences of a run take in memory. */
  static long bytes(RunFooter footer) {
    return footer.fenceTableAt() - footer.tablesAt() + (footer.fences() + 1) * Integer.BYTES;
  }

  /** Takes room from what all runs have; false if there is not enough. */
  static boolean takeRoom(long bytes) {
    if (ROOM.addAndGet(-bytes) >= 0) {
      return true;
    }
    giveRoom(bytes);
    return false;
  }

  static void giveRoom(long bytes) {
    ROOM.addAndGet(bytes);
  }

  /**
   * Reads the fences of a run, whose blocks have been checked.
   *
   * @param path for messages
   */
  static LoadedFences read(FileView file, String path, RunFooter footer) {
    byte[] fences =
        file.get(footer.tablesAt(), Math.toIntExact(footer.fenceTableAt() - footer.tablesAt()));
    int[] starts = new int[Math.toIntExact(footer.fences() + 1)];
    long offset = 0;
    for (int i = 0; i + 1 < starts.length; i++) {
      int room = fences.length - starts[i] - RunFormat.FENCE_HEAD_BYTES;
      int length = room < 0 ? 0 : RunFormat.getInt(fences, starts[i] + RunFormat.FENCE_LENGTH_AT);
      if (length < 0 || length > room) {
        throw Damage.at(path, footer.tablesAt() + starts[i], "the fences end inside one");
      }
      long next = RunFormat.getLong(fences, starts[i]);
      if (next <= offset || next >= footer.entriesEnd()) {
        throw Damage.at(path, footer.tablesAt() + starts[i], "a fence at " + next);
      }
      offset = next;
      starts[i + 1] = starts[i] + RunFormat.FENCE_HEAD_BYTES + length;
    }
    return new LoadedFences(fences, starts);
  }

  /** The offset of the entry that a fence stands before. */
  long offset(int number) {
    return RunFormat.getLong(fences, starts[number]);
  }

  /** Compares a fence with an id. */
  int compare(int number, byte[] id) {
    int from = starts[number] + RunFormat.FENCE_HEAD_BYTES;
    return Arrays.compareUnsigned(fences, from, starts[number + 1], id, 0, id.length);
  }
}
