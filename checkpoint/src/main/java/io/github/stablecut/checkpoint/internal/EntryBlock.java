package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.RunEntry;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * A copy of the entries of a run between two fences. If a mapped page becomes unreadable, the JVM
 * survives a copy of it, but not a checksum over it. Confined to one thread.
 */
final class EntryBlock {
  private final String path;
  private final long blockAt;
  private final ByteBuffer block;
  private final CRC32C crc = new CRC32C();

  /**
   * @param path the path for messages
   * @param blockAt the file offset of the block, at which an entry begins
   * @param block the whole block; not used by others
   */
  EntryBlock(String path, long blockAt, byte[] block) {
    this.path = path;
    this.blockAt = blockAt;
    this.block = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * The entry with an id; empty if there is none.
   *
   * @throws io.github.stablecut.checkpoint.CorruptCheckpointException if it or an earlier entry is
   *     damaged
   */
  Optional<RunEntry> find(byte[] id) {
    int end = block.capacity();
    for (int at = 0; at < end; at += length(at)) {
      checkEntry(at, end);
      int order = compareId(at, id);
      if (order >= 0) {
        return order == 0 ? Optional.of(entry(at)) : Optional.empty();
      }
    }
    return Optional.empty();
  }

  private int length(int at) {
    return block.getInt(at + RunFormat.LENGTH_AT);
  }

  private void checkEntry(int at, int end) {
    if (end - at < RunFormat.ENTRY_HEAD_BYTES) {
      throw Damage.at(path, blockAt + at, "the entries end inside an entry");
    }
    int length = length(at);
    if (!RunFormat.isLengthPossible(length, end - at)) {
      throw Damage.at(path, blockAt + at, "an entry of " + length + " bytes");
    }
    crc.reset();
    crc.update(block.limit(at + length).position(at + RunFormat.LENGTH_AT));
    block.clear();
    if ((int) crc.getValue() != block.getInt(at)
        || RunFormat.idLength(block, at) > length - RunFormat.ENTRY_HEAD_BYTES) {
      throw Damage.at(path, blockAt + at, "the checksum of this entry is wrong");
    }
  }

  private int compareId(int at, byte[] id) {
    int length = RunFormat.idLength(block, at);
    int from = at + RunFormat.ENTRY_HEAD_BYTES;
    int common = Math.min(length, id.length);
    for (int i = 0; i < common; i++) {
      int order = Byte.compareUnsigned(block.get(from + i), id[i]);
      if (order != 0) {
        return order;
      }
    }
    return length - id.length;
  }

  private RunEntry entry(int at) {
    byte[] entry = new byte[length(at)];
    block.get(at, entry);
    if (!RunFormat.isEntry(entry, 0, entry.length)) {
      throw Damage.at(path, blockAt + at, "the checksum of this entry is wrong");
    }
    return RunEntry.ofEncoded(entry);
  }
}
