package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.FileAppender;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Writes a file through a buffer, and computes the checksums of its blocks from some offset on.
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

  /** The file offset up to which sums are computed; {@link Long#MAX_VALUE} while none are. */
  private long summedToAt = Long.MAX_VALUE;

  private final CRC32C crc = new CRC32C();
  private int summedInBlock;
  private byte[] sums = new byte[64];
  private int sumsLength;

  /** The offset of the first block. */
  private long summedFrom;

  /** The number of the last block that has a guide. */
  private long guided = -1;

  BlockOutput(Directory directory, String name, WriteLimits limits) throws IOException {
    this.directory = directory;
    this.name = name;
    this.limits = limits;
    this.file = directory.create(name);
  }

  /** The file offset of the next byte. */
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

  /** Makes room for at least one byte; returns for how many of the wanted ones. */
  private int room(int requestedBytes) throws IOException {
    if (used + requestedBytes > buffer.length && buffer.length < BUFFER_BYTES) {
      int grown =
          (int) Math.min(BUFFER_BYTES, Math.max(2L * buffer.length, (long) used + requestedBytes));
      buffer = Arrays.copyOf(buffer, grown);
    }
    if (used == buffer.length) {
      flush();
    }
    return Math.min(requestedBytes, buffer.length - used);
  }

  /** Starts computing block sums; the first block begins here. */
  void beginSums() {
    summedFrom = position();
    summedToAt = summedFrom;
  }

  /** Announces the next slot's hash; the first one in each block becomes the block's guide. */
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

  /** The sums and guides of all blocks since {@link #beginSums}; the last block ends here. */
  byte[] endSums() {
    updateSums();
    summedToAt = Long.MAX_VALUE;
    if (summedInBlock > 0) {
      endBlock();
    }
    return Arrays.copyOf(sums, sumsLength);
  }

  private void updateSums() {
    while (summedToAt < position()) {
      int from = (int) (summedToAt - flushed);
      int length = Math.min(used - from, RunFormat.BLOCK_BYTES - summedInBlock);
      crc.update(buffer, from, length);
      summedToAt += length;
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
    updateSums();
    if (directory.usableBytes() - used < limits.reserveBytes()) {
      throw new IOException(
          "no space for %s: %,d bytes are free, and %,d are reserved for the journal"
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

  /** Writes the buffer. */
  void finish() throws IOException {
    flush();
  }

  /** Makes everything written durable. */
  void force() throws IOException {
    finish();
    file.force();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
