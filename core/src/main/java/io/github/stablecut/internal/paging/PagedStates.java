package io.github.stablecut.internal.paging;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.RunEntry;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.CrdtTypes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.internal.cache.PageCache;
import io.github.stablecut.internal.index.Version;
import java.util.Optional;
import java.util.concurrent.atomic.LongAccumulator;

/** Reads the states of a partition's checkpoints, in one piece or in pages. Thread-safe. */
public final class PagedStates {
  /** The size of the version cache as a multiple of the page cache. */
  public static final int CACHE_PARTS = 4;

  /** The minimum size of a state that is too large; with less, checkpoints would never stop. */
  private static final long MIN_TOO_LARGE_BYTES = 4L << 20;

  private final PageCache cache;

  /** The approximate maximum size of the cached pages. */
  private final long cacheBytes;

  /**
   * The most bytes that a paged version materialized since the last checkpoint holds besides its
   * pages.
   */
  private final LongAccumulator maxHeld = new LongAccumulator(Math::max, 0);

  /** The largest state in one piece materialized since the last checkpoint. */
  private final LongAccumulator maxUnpagedBytes = new LongAccumulator(Math::max, 0);

  /** The largest such state in the interval before that. */
  private volatile long previousUnpagedBytes;

  private final RetainedFiles files = new RetainedFiles();

  /**
   * @param cacheBytes the approximate maximum size of the pages in memory
   */
  public PagedStates(long cacheBytes) {
    this.cacheBytes = cacheBytes;
    this.cache = new PageCache(cacheBytes);
  }

  /**
   * The version in an entry of a checkpoint. Its pages are read on demand, however much later.
   *
   * @param at the vector of the checkpoint
   * @throws FormatException if this program does not know the entry's type, or its state
   */
  public Version version(RunEntry entry, CheckpointView view, VectorClock at) {
    CrdtType<?, ?, ?, ?> type = typeOf(entry);
    if (entry.isDeleted()) {
      return new Version(type, at, at, type.initial(), 0);
    }
    byte[] state = entry.state();
    return PagedRoot.isOne(state)
        ? open(type, entry.id(), state, view, at).version()
        : new Version(type, at, at, StateCodec.decode(type, state), state.length);
  }

  /**
   * Opens a state in pages, to replace it in the next checkpoint; empty if it is in one piece.
   *
   * @param at the vector of the checkpoint
   */
  public Optional<PagedState> open(RunEntry entry, CheckpointView view, VectorClock at) {
    byte[] state = entry.state();
    return entry.isDeleted() || !PagedRoot.isOne(state)
        ? Optional.empty()
        : Optional.of(open(typeOf(entry), entry.id(), state, view, at));
  }

  private PagedState open(
      CrdtType<?, ?, ?, ?> type, Bytes object, byte[] entry, CheckpointView view, VectorClock at) {
    StoredPages pages = new StoredPages(files.of(view, at), object, cache);
    return new PagedState(type, PagedRoot.decode(entry), pages, at);
  }

  private static CrdtType<?, ?, ?, ?> typeOf(RunEntry entry) {
    return CrdtTypes.ofStates(entry.typeId())
        .orElseThrow(
            () ->
                new FormatException("checkpoint: type number " + entry.typeId() + " is not known"));
  }

  /** Notes a version with changes that the newest checkpoint lacks. */
  public void changed(Version version) {
    if (version.isInPages()) {
      maxHeld.accumulate(version.heldBytes());
    } else {
      maxUnpagedBytes.accumulate(version.bytes());
    }
  }

  /** The most bytes that changes have copied in or added to a single version. */
  public long heldBytes() {
    return maxHeld.get();
  }

  /**
   * The maximum that a version should hold besides its pages: half of the version cache, because
   * readers rematerialize versions that don't fit.
   */
  public long maxHeldBytes() {
    return CACHE_PARTS * cacheBytes / 2;
  }

  /**
   * Whether a state in one piece has outgrown the cache since the last checkpoint. Each change then
   * folds all changes since the checkpoint, until the next one stores it in pages. A state that
   * can't be stored in pages counts again when it has doubled.
   */
  public boolean isAnyTooLarge() {
    return maxUnpagedBytes.get()
        > Math.max(Math.max(MIN_TOO_LARGE_BYTES, maxHeldBytes()), 2 * previousUnpagedBytes);
  }

  /** Resets the counts after a new checkpoint, on which the next versions are based. */
  public void checkpointed() {
    maxHeld.reset();
    previousUnpagedBytes = maxUnpagedBytes.getThenReset();
  }

  /**
   * Sets an action to run whenever unused files are released.
   *
   * @param then must be quick; held weakly
   */
  public void whenReleased(Runnable then) {
    files.whenReleased(then);
  }

  /** Releases files that a merge has replaced, even while they are in use. */
  public void moveTo(CheckpointView newer) {
    files.moveTo(newer);
  }

  /** Releases the files of the last checkpoint, unless they are in use, after a new one. */
  public void forgetFiles() {
    files.forget();
    cache.clear();
  }
}
