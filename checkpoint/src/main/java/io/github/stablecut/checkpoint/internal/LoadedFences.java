package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.FileView;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The fences of a run in memory: they locate the entry of an object without reading tables from the
 * disk. Immutable.
 *
 * <p>They take about 0.4% of the size of the run's entries, and the filter ten bits per entry:
 * about 20 MB for ten million entries of 150 bytes. All runs of a process share a twentieth of the
 * heap for both ({@link #SHARE_OF_HEAP}). A run without enough space for both loads only the
 * fences; a run without space for these is read by its index.
 */
final class LoadedFences {
  private static final int SHARE_OF_HEAP = 20;

  private static final AtomicLong FREE_BYTES =
      new AtomicLong(Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);

  /** The fences, concatenated as in the file. */
  private final byte[] fences;

  /** The start of each fence, and the end of the last one. */
  private final int[] starts;

  private LoadedFences(byte[] fences, int[] starts) {
    this.fences = fences;
    this.starts = starts;
  }

  /** The size in memory of the fences of a run. */
  static long bytes(RunFooter footer) {
    return footer.fenceTableAt() - footer.tablesAt() + (footer.fences() + 1) * Integer.BYTES;
  }

  /** Reserves memory from the budget of all runs; returns false if too little is left. */
  static boolean tryReserve(long bytes) {
    if (FREE_BYTES.addAndGet(-bytes) >= 0) {
      return true;
    }
    release(bytes);
    return false;
  }

  static void release(long bytes) {
    FREE_BYTES.addAndGet(bytes);
  }

  /**
   * Reads the fences of a run whose blocks were checked.
   *
   * @param path the path for messages
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
        throw Damage.at(path, footer.tablesAt() + starts[i], "the fences end inside a fence");
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

  /** The offset of the entry after a fence. */
  long offset(int number) {
    return RunFormat.getLong(fences, starts[number]);
  }

  /** Compares a fence with an id. */
  int compare(int number, byte[] id) {
    int from = starts[number] + RunFormat.FENCE_HEAD_BYTES;
    return Arrays.compareUnsigned(fences, from, starts[number + 1], id, 0, id.length);
  }
}
