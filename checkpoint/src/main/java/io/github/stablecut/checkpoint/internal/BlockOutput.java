package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.FileAppender;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * A file that is written through a buffer, and the checksums of its blocks from some point on.
 * Confined to one thread.
 */
final class BlockOutput implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 20;

  private final Directory directory;
  private final String name;
  private final WriteLimits limits;
  private final FileAppender file;
  private byte[] buffer = new byte[1 << 16];
  private int used;
  private long flushed;
  private long forced;

  /** The file offset up to which sums are taken; above all while none are wanted. */
  private long summedTo = Long.MAX_VALUE;

  private final CRC32C crc = new CRC32C();
  private int summedInBlock;
  private byte[] sums = new byte[64];
  private int sumsLength;

  /** Where the first block begins. */
  private long summedFrom;

  /** The number of the last block that has a guide. */
  private long guided = -1;

  BlockOutput(Directory directory, String name, WriteLimits limits) throws IOException {
    this.directory = directory;
    this.name = name;
    this.limits = limits;
    this.file = directory.create(name);
  }

  /** The offset in the file of the next byte. */
  long position() {
    return flushed + used;
  }

  void write(byte[] source) throws IOException {
    write(source, source.length);
  }

  void write(byte[] source, int length) throws IOException {
    int written = 0;
    while (written < length) {
      int room = room(length - written);
      System.arraycopy(source, written, buffer, used, room);
      used += room;
      written += room;
    }
  }

  void writeLong(long value) throws IOException {
    if (room(Long.BYTES) < Long.BYTES) {
      byte[] bytes = new byte[Long.BYTES];
      RunFormat.putLong(bytes, 0, value);
      write(bytes);
    } else {
      RunFormat.putLong(buffer, used, value);
      used += Long.BYTES;
    }
  }

  /** Writes zeros up to the next multiple of a power of two. */
  void align(int multiple) throws IOException {
    write(new byte[(int) (RunFormat.align(position(), multiple) - position())]);
  }

  /** Makes room for at least one byte; answers for how many of those that are wanted. */
  private int room(int wanted) throws IOException {
    if (used + wanted > buffer.length && buffer.length < BUFFER_BYTES) {
      int grown = (int) Math.min(BUFFER_BYTES, Math.max(2L * buffer.length, (long) used + wanted));
      buffer = Arrays.copyOf(buffer, grown);
    }
    if (used == buffer.length) {
      flush();
    }
    return Math.min(wanted, buffer.length - used);
  }

  /** Begins to take the sum of each block, the first one beginning here. */
  void beginSums() {
    summedFrom = position();
    summedTo = summedFrom;
  }

  /** A slot with a hash comes next: the first one of each block is its guide. */
  void guide(long slotHash) {
    long block = (position() - summedFrom) / RunFormat.BLOCK_BYTES;
    if (block != guided) {
      int at = (int) block * RunFormat.SUM_BYTES;
      makeRoomForSums(at + RunFormat.SUM_BYTES);
      RunFormat.putInt(sums, at + RunFormat.GUIDE_AT, RunFormat.guide(slotHash));
      guided = block;
    }
  }

  private void makeRoomForSums(int length) {
    if (length > sums.length) {
      sums = Arrays.copyOf(sums, Math.max(length, 2 * sums.length));
    }
  }

  /** The sums and guides of all blocks since {@link #beginSums}, the last one ending here. */
  byte[] endSums() {
    takeSums();
    summedTo = Long.MAX_VALUE;
    if (summedInBlock > 0) {
      endBlock();
    }
    return Arrays.copyOf(sums, sumsLength);
  }

  private void takeSums() {
    while (summedTo < position()) {
      int from = (int) (summedTo - flushed);
      int length = Math.min(used - from, RunFormat.BLOCK_BYTES - summedInBlock);
      crc.update(buffer, from, length);
      summedTo += length;
      summedInBlock += length;
      if (summedInBlock == RunFormat.BLOCK_BYTES) {
        endBlock();
      }
    }
  }

  private void endBlock() {
    makeRoomForSums(sumsLength + RunFormat.SUM_BYTES);
    RunFormat.putInt(sums, sumsLength, (int) crc.getValue());
    sumsLength += RunFormat.SUM_BYTES;
    summedInBlock = 0;
    crc.reset();
  }

  private void flush() throws IOException {
    takeSums();
    if (directory.usableBytes() - used < limits.reserveBytes()) {
      throw new IOException(
          "no space for %s: %,d bytes are left, and %,d stay free for the journal"
              .formatted(directory.pathOf(name), directory.usableBytes(), limits.reserveBytes()));
    }
    file.append(buffer, 0, used);
    flushed += used;
    int written = used;
    used = 0;
    if (flushed - forced >= limits.forceBytes()) {
      file.force();
      forced = flushed;
    }
    limits.pace().written(written);
  }

  /** Writes what is in the buffer. */
  void finish() throws IOException {
    flush();
  }

  /** Makes all that was written durable. */
  void force() throws IOException {
    finish();
    file.force();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
