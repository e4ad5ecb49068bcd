package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.FileView;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Collects the fences of a run being written until they go into its tables: in memory up to a
 * limit, beyond it in a file. Confined to one thread.
 */
final class FenceSpool implements AutoCloseable {
  /** The maximum number of bytes in memory. */
  static final int MEMORY_BYTES = 1 << 20;

  private static final int FIRST_BYTES = 1 << 12;
  private static final int COPIED_BYTES = 64 << 10;

  private final Directory directory;
  private final String fileName;
  private final WriteLimits limits;
  private final int memoryBytes;

  /** The newest fences, one after the other. */
  private byte[] buffer = new byte[0];

  private int used;
  private long count;
  private @Nullable BlockOutput older;

  /**
   * @param fileName the file for fences that don't fit into memory
   * @param memoryBytes the maximum number of bytes in memory
   */
  FenceSpool(Directory directory, String fileName, WriteLimits limits, int memoryBytes) {
    this.directory = directory;
    this.fileName = fileName;
    this.limits = limits;
    this.memoryBytes = memoryBytes;
  }

  /** Adds a fence ({@link RunFormat#fence}). */
  void add(byte[] fence) throws IOException {
    if (used > 0 && used + fence.length > memoryBytes) {
      BlockOutput out = older;
      if (out == null) {
        out = new BlockOutput(directory, fileName, limits);
        older = out;
      }
      out.write(buffer, used);
      used = 0;
    }
    if (used + fence.length > buffer.length) {
      int grown = Math.min(memoryBytes, Math.max(FIRST_BYTES, 2 * buffer.length));
      buffer = Arrays.copyOf(buffer, Math.max(used + fence.length, grown));
    }
    System.arraycopy(fence, 0, buffer, used, fence.length);
    used += fence.length;
    count++;
  }

  long count() {
    return count;
  }

  /** The number of bytes in memory. */
  int bytesInMemory() {
    return buffer.length;
  }

  /** Writes all fences to the tables of the run; no more may be added afterwards. */
  void writeFences(BlockOutput out) throws IOException {
    BlockOutput written = older;
    if (written != null) {
      written.finish();
      try (FileView file = directory.view(fileName)) {
        byte[] part = new byte[COPIED_BYTES];
        for (long at = 0; at < file.length(); at += part.length) {
          int length = (int) Math.min(part.length, file.length() - at);
          file.get(at, part, 0, length);
          out.write(part, length);
        }
      }
    }
    out.write(buffer, used);
  }

  /**
   * Writes the offset of each fence.
   *
   * @param start the offset of the first fence
   */
  void writeOffsets(BlockOutput out, long start) throws IOException {
    long at = start;
    if (older != null) {
      try (FileView file = directory.view(fileName)) {
        byte[] length = new byte[Integer.BYTES];
        for (long fence = 0; fence < file.length(); fence = at - start) {
          out.writeLong(at);
          file.get(fence + RunFormat.FENCE_LENGTH_AT, length, 0, length.length);
          at += RunFormat.FENCE_HEAD_BYTES + RunFormat.getInt(length, 0);
        }
      }
    }
    long inMemory = at;
    while (at - inMemory < used) {
      out.writeLong(at);
      int length = RunFormat.getInt(buffer, (int) (at - inMemory) + RunFormat.FENCE_LENGTH_AT);
      at += RunFormat.FENCE_HEAD_BYTES + length;
    }
  }

  /** Deletes the file, if there is one. */
  @Override
  public void close() throws IOException {
    BlockOutput written = older;
    if (written != null) {
      older = null;
      written.close();
      directory.delete(fileName);
    }
  }
}
