package io.github.stablecut.checkpoint.internal;

import java.io.IOException;

/**
 * The filter of a run in memory: it rules out most ids that the run doesn't have. Immutable.
 *
 * <p>A Bloom filter (Bloom 1970) in blocks of one cache line (Putze, Sanders, Singler 2007). With
 * ten bits per entry, its false positive rate is about 1 in 80. The blocks are in the order of the
 * hashes, so that the filter is written from front to back like the index.
 */
final class RunFilter {
  private static final int BLOCK_BYTES = 64;
  private static final int BITS_PER_ENTRY = 10;

  /** The number of bits of a block that an entry sets; nine bits of its mixed hash select each. */
  private static final int BITS = 6;

  private static final int BIT_NUMBER_BITS = 9;
  private static final int BLOCK_MASK = (1 << BIT_NUMBER_BITS) - 1;

  private final byte[] filter;

  /**
   * @param filter the bytes in the file, checked; retained
   */
  RunFilter(byte[] filter) {
    this.filter = filter;
  }

  /** The length of the filter of a run with this many entries. */
  static long bytes(long entries) {
    long blockBits = BLOCK_BYTES * Byte.SIZE;
    return (entries * BITS_PER_ENTRY + blockBits - 1) / blockBits * BLOCK_BYTES;
  }

  /** Whether the run may have an id with a hash; false is definite. */
  boolean mayHave(long hash) {
    int block = (int) RunFormat.share(hash, filter.length / BLOCK_BYTES) * BLOCK_BYTES;
    long bits = mix(hash);
    for (int i = 0; i < BITS; i++) {
      int bit = (int) bits & BLOCK_MASK;
      if ((filter[block + bit / Byte.SIZE] & (1 << (bit % Byte.SIZE))) == 0) {
        return false;
      }
      bits >>>= BIT_NUMBER_BITS;
    }
    return filter.length > 0;
  }

  /**
   * Derives bits that are independent of the choice of the block: the finalizer of MurmurHash3, in
   * which every bit depends on the whole hash.
   */
  private static long mix(long hash) {
    long mixed = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }

  /** Writes the filter of a run from hashes in unsigned order. Confined to one thread. */
  static final class Writer {
    private final BlockOutput out;
    private final long blocks;
    private byte[] block = new byte[BLOCK_BYTES];
    private long written;

    /** The filter of a run with this many entries. */
    Writer(BlockOutput out, long entries) {
      this.out = out;
      this.blocks = bytes(entries) / BLOCK_BYTES;
    }

    void add(long hash) throws IOException {
      writeBefore(RunFormat.share(hash, blocks));
      long bits = mix(hash);
      for (int i = 0; i < BITS; i++) {
        int bit = (int) bits & BLOCK_MASK;
        block[bit / Byte.SIZE] |= (byte) (1 << (bit % Byte.SIZE));
        bits >>>= BIT_NUMBER_BITS;
      }
    }

    /** Writes the remaining blocks. */
    void finish() throws IOException {
      writeBefore(blocks);
    }

    private void writeBefore(long next) throws IOException {
      while (written < next) {
        out.write(block);
        block = new byte[BLOCK_BYTES];
        written++;
      }
    }
  }
}
