package io.github.stablecut.checkpoint.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.checkpoint.FileView;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a run: the index by hash, the fences and the filter. Thread-safe; no reader waits
 * for another.
 *
 * <p>Each block is checked before its first use; two threads may check the same one. Looking up an
 * object by its hash reads one block of the index from the disk. After enough such reads, the
 * fences and the filter are loaded into memory. The filter then rules out most objects that are not
 * in the run without reading the disk, and the fences lead to the entries.
 */
final class RunTables {
  /**
   * The number of guesses after which a search bisects, because the hashes are less uniform than
   * expected.
   */
  private static final int MAX_GUESSES = 24;

  /** The number of sums to read at once: 64 KiB, those of two million slots. */
  private static final int LOADED_SUMS = 8_192;

  /** The number of bytes of fences and of the filter to read at once. */
  private static final int LOADED_BYTES = LOADED_SUMS * RunFormat.SUM_BYTES;

  private static final int MIN_USES_BEFORE_LOADING = 8;

  /** Reading this many bytes sequentially takes about as long as reading one block. */
  private static final int BYTES_PER_USE = 32 << 10;

  private final FileView file;
  private final String path;
  private final RunFooter footer;

  /** One bit per block that was checked. */
  private final AtomicIntegerArray checked;

  /** The number of first uses of blocks since the last attempt to load the fences. */
  private final AtomicInteger firstUses = new AtomicInteger();

  private final long usesBeforeLoading;
  private final ReentrantLock loading = new ReentrantLock();
  private volatile @Nullable LoadedFences loadedFences;

  /** Null if it is not in memory, or the run has none. Set before the fences. */
  private volatile @Nullable RunFilter loadedFilter;

  /** The bytes reserved for both in the budget of all runs. */
  @GuardedBy("loading")
  private long reservedBytes;

  @GuardedBy("loading")
  private boolean isClosed;

  RunTables(FileView file, String path, RunFooter footer) {
    this.file = file;
    this.path = path;
    this.footer = footer;
    this.usesBeforeLoading = Math.max(MIN_USES_BEFORE_LOADING, loadedBytes(footer) / BYTES_PER_USE);
    this.checked = new AtomicIntegerArray((int) (footer.blocks() / Integer.SIZE + 1));
  }

  /** The size in memory of the fences and the filter of a run. */
  static long loadedBytes(RunFooter footer) {
    return LoadedFences.bytes(footer) + footer.filterBytes();
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

  /** The first slot with a hash at or above one; the number of slots if there is none. */
  long firstAtOrAbove(long target) {
    long slot = 0;
    for (long block = blockFor(target); slot < footer.entries(); block++) {
      long end = Math.min(footer.entries(), firstSlot(block + 1));
      slot = firstAtOrAbove(target, firstSlot(block), end);
      if (slot < end) {
        return slot;
      }
    }
    return slot;
  }

  /**
   * The first slot in a range with a hash at or above one; the end of the range if there is none.
   */
  private long firstAtOrAbove(long target, long from, long to) {
    long low = from;
    long high = to;
    while (low < high) {
      long middle = (low + high) >>> 1;
      if (Long.compareUnsigned(slotHash(middle), target) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * The last block with a guide below that of a hash, or the first block: the slot is in it or
   * directly after it. Uses interpolation search (Peterson 1957): hashes are uniform, so each guess
   * comes within the square root of the distance. A guide is unchecked until the search enters its
   * block, whose check detects a wrong guide.
   */
  private long blockFor(long target) {
    long low = blockOf(0);
    long high = footer.indexBlocks();
    long guess = blockOf(RunFormat.share(target, footer.entries()));
    for (int guesses = 0; high - low > 1; guesses++) {
      long block = Math.max(low + 1, Math.min(high - 1, guess));
      long missing = (target >>> Integer.SIZE) - guide(block);
      if (missing > 0) {
        low = block;
        guess = block + Math.max(1, blocks(missing));
      } else {
        high = block;
        guess = block - Math.max(1, blocks(-missing));
      }
      if (guesses >= MAX_GUESSES) {
        guess = (low + high) >>> 1;
      }
    }
    return low;
  }

  /** The approximate number of blocks spanned by a difference of guides. */
  private long blocks(long guides) {
    return RunFormat.share(guides << Integer.SIZE, footer.entries())
        * RunFormat.SLOT_BYTES
        / RunFormat.BLOCK_BYTES;
  }

  private long blockOf(long slot) {
    return (footer.indexAt() + slot * RunFormat.SLOT_BYTES - footer.tablesAt())
        / RunFormat.BLOCK_BYTES;
  }

  /** The first slot that begins in a block or after it. */
  private long firstSlot(long block) {
    long offsetInIndex = footer.tablesAt() + block * RunFormat.BLOCK_BYTES - footer.indexAt();
    return Math.max(0, offsetInIndex / RunFormat.SLOT_BYTES);
  }

  private byte[] sum(long block) {
    return file.get(footer.sumsAt() + block * RunFormat.SUM_BYTES, RunFormat.SUM_BYTES);
  }

  /** The guide of a block in the file, unchecked. */
  private long guide(long block) {
    long first = block / LOADED_SUMS * LOADED_SUMS;
    long count = Math.min(LOADED_SUMS, footer.blocks() - first);
    file.load(footer.sumsAt() + first * RunFormat.SUM_BYTES, (int) count * RunFormat.SUM_BYTES);
    return Integer.toUnsignedLong(RunFormat.getInt(sum(block), RunFormat.GUIDE_AT));
  }

  /** The offset of an entry such that no earlier entry has an id at or above the given one. */
  long offsetFor(byte[] id) {
    long fences = countFences(id, true);
    if (fences == 0) {
      return RunFormat.HEADER_BYTES;
    }
    LoadedFences known = loadedFences;
    return known == null
        ? RunFormat.fenceOffset(fence(fences - 1))
        : known.offset((int) (fences - 1));
  }

  /** The number of fences at or below an id. */
  long fencesUpTo(byte[] id) {
    return countFences(id, true);
  }

  /**
   * The offset of the entry after a fence; the start of the entries if the fence is negative, and
   * their end if it is above all. Only if {@link #hasFencesInMemory}.
   */
  long offsetOf(long fence) {
    if (fence < 0) {
      return RunFormat.HEADER_BYTES;
    }
    LoadedFences known = loadedFences;
    if (fence == footer.fences()) {
      return footer.entriesEnd();
    }
    return known == null ? RunFormat.fenceOffset(fence(fence)) : known.offset((int) fence);
  }

  /** Whether the run may have an id with a hash: false only if the loaded filter rules it out. */
  boolean mayHave(long idHash) {
    RunFilter known = loadedFilter;
    return known == null || known.mayHave(idHash);
  }

  /** The number of fences below an id. */
  long fencesBelow(byte[] id) {
    return countFences(id, false);
  }

  /** The number of fences below an id or, with {@code orAt}, at or below it. */
  private long countFences(byte[] id, boolean orAt) {
    LoadedFences known = loadedFences;
    int bound = orAt ? 1 : 0;
    long low = 0;
    long high = footer.fences();
    while (low < high) {
      long middle = (low + high) >>> 1;
      int order =
          known == null
              ? RunFormat.compareFence(fence(middle), id)
              : known.compare((int) middle, id);
      if (order < bound) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * Whether the fences are in memory. Loads them, and the filter if it fits, once enough lookups
   * have read index blocks from the disk to justify that, unless another thread is loading them.
   */
  boolean hasFencesInMemory() {
    if (loadedFences != null) {
      return true;
    }
    if (firstUses.get() < usesBeforeLoading || !loading.tryLock()) {
      return false;
    }
    try {
      if (!isClosed && loadedFences == null) {
        load();
      }
    } finally {
      // The next attempt comes after as many uses again, even if a table is damaged.
      firstUses.set(0);
      loading.unlock();
    }
    return loadedFences != null;
  }

  @GuardedBy("loading")
  private void load() {
    if (LoadedFences.bytes(footer) > Integer.MAX_VALUE) {
      return;
    }
    boolean fitsCompletely = LoadedFences.tryReserve(loadedBytes(footer));
    if (!fitsCompletely && !LoadedFences.tryReserve(LoadedFences.bytes(footer))) {
      return;
    }
    reservedBytes = fitsCompletely ? loadedBytes(footer) : LoadedFences.bytes(footer);
    try {
      if (fitsCompletely) {
        loadedFilter = filter().orElse(null);
      }
      check(footer.tablesAt(), footer.fenceTableAt());
      loadedFences = LoadedFences.read(file, path, footer);
    } finally {
      if (loadedFences == null) {
        unload();
      }
    }
  }

  /** Reads the filter; empty if the run has none, or it is too large for an array. */
  Optional<RunFilter> filter() {
    return footer.filterBytes() == 0 || footer.filterBytes() > Integer.MAX_VALUE
        ? Optional.empty()
        : Optional.of(readFilter());
  }

  private RunFilter readFilter() {
    check(footer.filterAt(), footer.sumsAt());
    return new RunFilter(file.get(footer.filterAt(), Math.toIntExact(footer.filterBytes())));
  }

  /** Checks a large range of the tables, reading ahead. */
  private void check(long from, long end) {
    for (long at = from; at < end; at += LOADED_BYTES) {
      int length = (int) Math.min(LOADED_BYTES, end - at);
      file.load(at, length);
      check(at, length);
    }
  }

  @GuardedBy("loading")
  private void unload() {
    loadedFences = null;
    loadedFilter = null;
    LoadedFences.release(reservedBytes);
    reservedBytes = 0;
  }

  /** Releases the memory of fences and filter; readers may continue. */
  void close() {
    loading.lock();
    try {
      isClosed = true;
      unload();
    } finally {
      loading.unlock();
    }
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

  /** Checks the blocks of some bytes of the tables, unless they were checked before. */
  private void check(long at, int length) {
    long first = (at - footer.tablesAt()) / RunFormat.BLOCK_BYTES;
    long last = (at + length - 1 - footer.tablesAt()) / RunFormat.BLOCK_BYTES;
    for (long block = first; block <= last; block++) {
      int word = (int) (block / Integer.SIZE);
      int bit = 1 << block;
      if ((checked.getOpaque(word) & bit) == 0) {
        firstUses.incrementAndGet();
        checkBlock(block);
        checked.accumulateAndGet(word, bit, (known, added) -> known | added);
      }
    }
  }

  /** Checks a block, whether or not it was checked before. */
  void checkBlock(long block) {
    long at = footer.tablesAt() + block * RunFormat.BLOCK_BYTES;
    int length = (int) Math.min(RunFormat.BLOCK_BYTES, footer.sumsAt() - at);
    byte[] sum = sum(block);
    byte[] bytes = file.get(at, length);
    if (RunFormat.crc32c(bytes, 0, length) != RunFormat.getInt(sum, 0)) {
      throw Damage.at(path, at, "the checksum of this block of the tables is wrong");
    }
    long slotAt = footer.indexAt() + firstSlot(block) * RunFormat.SLOT_BYTES - at;
    boolean hasSlot = slotAt < length && firstSlot(block) < footer.entries();
    int guide = hasSlot ? RunFormat.guide(RunFormat.getLong(bytes, (int) slotAt)) : 0;
    if (guide != RunFormat.getInt(sum, RunFormat.GUIDE_AT)) {
      throw Damage.at(path, at, "the guide of this block of the tables is wrong");
    }
  }
}
