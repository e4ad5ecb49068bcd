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
  /** The cache of versions is so many times that of pages. */
  public static final int CACHE_PARTS = 4;

  /** However small the cache is: below it checkpoints would never stop. */
  private static final long LEAST_TOO_LARGE = 4L << 20;

  private final PageCache cache;

  /** What the cached pages take at most, about. */
  private final long cacheBytes;

  /**
   * The most that a version in pages holds beside them which was made since the last checkpoint.
   */
  private final LongAccumulator mostHeld = new LongAccumulator(Math::max, 0);

  /** The largest state in one piece that was made since the last checkpoint. */
  private final LongAccumulator mostWhole = new LongAccumulator(Math::max, 0);

  /** The largest one before that. */
  private volatile long wholeBefore;

  private final RetainedFiles files = new RetainedFiles();

  /**
   * @param cacheBytes what the pages in memory take at most, about
   */
  public PagedStates(long cacheBytes) {
    this.cacheBytes = cacheBytes;
    this.cache = new PageCache(cacheBytes);
  }

  /**
   * The version that an entry of a checkpoint stands for. Its pages are read when they are needed,
   * however long that is from now.
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

  /** A version was made with changes that the newest checkpoint lacks. */
  public void changed(Version version) {
    if (version.isInPages()) {
      mostHeld.accumulate(version.heldBytes());
    } else {
      mostWhole.accumulate(version.bytes());
    }
  }

  /**
   * What changes have copied and added to that version of them to which they did most, in bytes.
   */
  public long heldBytes() {
    return mostHeld.get();
  }

  /**
   * What a version should hold at most beside its pages: half of the cache of versions, because
   * readers make those again and again that do not fit into it.
   */
  public long maxHeldBytes() {
    return CACHE_PARTS * cacheBytes / 2;
  }

  /**
   * Whether a state has grown so large since the last checkpoint that it does not fit well into the
   * cache: then each change of it costs all changes since the checkpoint, until another one puts it
   * into pages. One that no checkpoint can put into pages counts again when it has doubled.
   */
  public boolean isAnyTooLarge() {
    return mostWhole.get() > Math.max(Math.max(LEAST_TOO_LARGE, maxHeldBytes()), 2 * wholeBefore);
  }

  /** There is a new checkpoint, from which the next versions are made. */
  public void checkpointed() {
    mostHeld.reset();
    wholeBefore = mostWhole.getThenReset();
  }

  /**
   * Has something done whenever files were let go of that nobody reads any more.
   *
   * @param then quick; held weakly
   */
  public void whenReleased(Runnable then) {
    files.whenReleased(then);
  }

  /** Files were merged: lets go of those that others have replaced, whoever reads them. */
  public void moveTo(CheckpointView newer) {
    files.moveTo(newer);
  }

  /**
   * There is a new checkpoint: lets go of the files of the last one, as far as nobody reads them.
   */
  public void forgetFiles() {
    files.forget();
    cache.clear();
  }
}
