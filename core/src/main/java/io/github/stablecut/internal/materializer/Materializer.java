package io.github.stablecut.internal.materializer;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.cache.VersionCache;
import io.github.stablecut.internal.index.EffectList;
import io.github.stablecut.internal.index.IndexedEffect;
import io.github.stablecut.internal.index.ObjectContent;
import io.github.stablecut.internal.index.ObjectEntry;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.meter.ReadEvent;
import io.github.stablecut.internal.paging.PageCopyCounter;
import io.github.stablecut.internal.paging.PagedStates;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.key.Key;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Folds effects onto a base (report, section 2.4): a version in memory or in a checkpoint. Folding
 * is lazy: the first reader that sees an effect folds it, and the next reader starts from the
 * resulting version. So reads cost a constant per write, regardless of the journal's length. A read
 * of an object that is unchanged since the last read takes two lookups: no lock, no I/O, no copy.
 *
 * <p>Any base whose effects are all visible at the snapshot gives the same result, because
 * visibility is closed under causality.
 */
public final class Materializer implements VersionSource {
  private static final Comparator<IndexedEffect> COMMIT_ORDER =
      EffectList.ORDER.thenComparingInt(IndexedEffect::ordinal);

  /**
   * The bytes of a state that a byte of an effect changes, including copied nodes; measured for
   * sets.
   */
  private static final int FOLDED_PER_BYTE = 32;

  /** The maximum number of effects that {@link #folded} folds, so that it stays fast. */
  private static final int MAX_EFFECTS_AT_ONCE = 8;

  private static final int MAX_BYTES_AT_ONCE = 16 << 10;

  /** The memory that a byte of an encoded state takes, in bytes. */
  private static final int HELD_PER_BYTE = 8;

  private final ObjectIndex index;
  private final VersionCache cache;
  private final CheckpointStore checkpoints;
  private final PagedStates states;
  private final ReadCoalescer coalescer = new ReadCoalescer();
  private final Journal journal;
  private final RecentRecords recent = new RecentRecords();

  /**
   * @param states reads the states of checkpoints
   * @param journal read for effects that were evicted from memory
   */
  public Materializer(
      ObjectIndex index,
      VersionCache cache,
      CheckpointStore checkpoints,
      PagedStates states,
      Journal journal) {
    this.index = index;
    this.cache = cache;
    this.checkpoints = checkpoints;
    this.states = states;
    this.journal = journal;
  }

  /** Reads the states of checkpoints. */
  public PagedStates states() {
    return states;
  }

  /**
   * Returns the result of {@link #versionAt} if it is cached and complete; otherwise null. It is
   * correct regardless of concurrent truncation, because the object has no later effects.
   */
  public @Nullable Version hit(Bytes id, VectorClock snapshot) {
    ObjectEntry entry = index.find(id);
    if (entry == null) {
      return null;
    }
    Version complete = entry.content().complete(snapshot);
    if (complete != null) {
      cache.hit(entry);
    }
    return complete;
  }

  @Override
  public Optional<Version> versionAt(Bytes id, VectorClock snapshot) {
    Version hit = hit(id, snapshot);
    if (hit != null) {
      return Optional.of(hit);
    }
    return cache.keeps() && !hasBase(id, snapshot)
        ? coalescer.read(
            id, () -> Optional.ofNullable(hit(id, snapshot)).or(() -> materialized(id, snapshot)))
        : materialized(id, snapshot);
  }

  /**
   * Returns the result of {@link #versionAt} if it takes only folding a few effects in memory onto
   * a small cached version; otherwise null. Neither waits nor reads a disk.
   */
  public @Nullable Version folded(Bytes id, VectorClock snapshot) {
    ObjectEntry entry = index.find(id);
    if (entry == null || !cache.keeps() || !index.listsEffects()) {
      return null;
    }
    // Read the content before the floor: effects dropped since then are below the floor.
    ObjectContent content = entry.content();
    Version base = content.newest();
    if (base == null
        || !base.canServe(snapshot)
        || base.isInPages()
        || base.heldBytes() > MAX_BYTES_AT_ONCE
        || content.unfolded() > MAX_EFFECTS_AT_ONCE
        || content.hasIntents()
        || !index.floor().isAtOrBefore(base.at())) {
      return null;
    }
    List<IndexedEffect> missing = content.effects().between(base.at(), snapshot);
    List<Object> effects = fewInMemory(missing);
    if (effects == null) {
      return null;
    }
    Iterator<Object> next = effects.iterator();
    Version materialized = fold(effect -> next.next(), base, missing, snapshot);
    states.changed(materialized);
    index.offer(id, materialized).ifPresent(cache::made);
    return materialized;
  }

  /** Returns the decoded effects; null if there are too many or one was evicted from memory. */
  private static @Nullable List<Object> fewInMemory(List<IndexedEffect> listed) {
    if (listed.size() > MAX_EFFECTS_AT_ONCE) {
      return null;
    }
    List<Object> effects = new ArrayList<>(listed.size());
    long bytes = 0;
    for (IndexedEffect one : listed) {
      Optional<Object> effect = one.effect();
      bytes += one.bytes();
      if (effect.isEmpty() || bytes > MAX_BYTES_AT_ONCE) {
        return null;
      }
      effects.add(effect.get());
    }
    return effects;
  }

  /** Whether a version in memory can be the base of a read at a snapshot. */
  private boolean hasBase(Bytes id, VectorClock snapshot) {
    ObjectEntry entry = index.find(id);
    return entry != null && entry.content().base(snapshot).isPresent();
  }

  private Optional<Version> materialized(Bytes id, VectorClock snapshot) {
    Optional<Version> materialized = materializeMeasured(id, snapshot);
    if (cache.keeps() && materialized.isPresent()) {
      index.offer(id, materialized.get()).ifPresent(cache::made);
    }
    return materialized;
  }

  private Optional<Version> materializeMeasured(Bytes id, VectorClock snapshot) {
    ReadEvent event = new ReadEvent();
    event.begin();
    Optional<Version> materialized = materialize(id, snapshot);
    if (event.shouldCommit()) {
      event.object = Key.nameOf(id);
      event.commit();
    }
    return materialized;
  }

  /**
   * Estimates the memory that a version at a snapshot would hold exclusively, in bytes: what the
   * folded effects change, but no more than the whole state. Returns 0 if unknown.
   */
  public long foldedBytes(Bytes id, VectorClock snapshot) {
    ObjectEntry entry = index.find(id);
    if (entry == null) {
      return 0;
    }
    ObjectContent content = entry.content();
    Optional<Version> base = content.base(snapshot);
    long effects = 0;
    for (IndexedEffect effect :
        content.effects().between(base.map(Version::at).orElse(VectorClock.ZERO), snapshot)) {
      effects += effect.bytes();
    }
    long changed = FOLDED_PER_BYTE * effects;
    return base.isEmpty() || base.get().isInPages()
        ? changed
        : Math.min(changed, HELD_PER_BYTE * (base.get().bytes() + effects));
  }

  /**
   * Evicts an object's versions that read pages of a checkpoint or exceed a size; readers
   * materialize them again, in pages.
   */
  public void evictPaged(Bytes id, long maxBytes) {
    index.tryEvictPaged(id, maxBytes).ifPresent(cache::shrank);
  }

  /**
   * Like {@link #versionAt}, without caching the result: for checkpoints and scans, which would
   * evict the versions that readers need.
   */
  public Optional<Version> materialize(Bytes id, VectorClock snapshot) {
    return materialize(id, null, snapshot);
  }

  /** Like {@link #materialize(Bytes, VectorClock)}, for a known index entry; null to look it up. */
  Optional<Version> materialize(Bytes id, @Nullable ObjectEntry entry, VectorClock snapshot) {
    return materialize(
        id, entry, snapshot, (view, kept) -> kept.or(() -> inCheckpoint(view, id, snapshot)));
  }

  /**
   * Returns the version of an object at a snapshot, folded onto a given one, regardless of versions
   * in memory.
   *
   * @param base the version of the newest checkpoint at or before the snapshot
   */
  public Version materializeOn(Version base, Bytes id, VectorClock snapshot) {
    return materialize(id, null, snapshot, (view, kept) -> Optional.of(base)).orElse(base);
  }

  private Optional<Version> materialize(
      Bytes id,
      @Nullable ObjectEntry entry,
      VectorClock snapshot,
      BiFunction<CheckpointView, Optional<Version>, Optional<Version>> base) {
    // Open the journal first: positions in the index and the checkpoints then stay readable.
    try (EffectReader reader = new EffectReader(journal, recent)) {
      return materialize(reader, id, entry, snapshot, base);
    }
  }

  private Optional<Version> materialize(
      EffectReader reader,
      Bytes id,
      @Nullable ObjectEntry entry,
      VectorClock snapshot,
      BiFunction<CheckpointView, Optional<Version>, Optional<Version>> choice) {
    // Read the effects first: if some were dropped, the checkpoint view opened next has them.
    Optional<ObjectContent> content =
        Optional.ofNullable(entry == null ? index.find(id) : entry).map(ObjectEntry::content);
    try (CheckpointView view = checkpoints.view()) {
      Optional<Version> kept = content.flatMap(found -> found.base(snapshot));
      Optional<Version> base = choice.apply(view, kept);
      VectorClock from = base.map(Version::at).orElseGet(() -> checkpointAt(view, snapshot));
      List<IndexedEffect> missing =
          index.listsEffects()
              ? missing(reader, content.map(ObjectContent::effects), view, id, from, snapshot)
              : filtered(reader, content, id, from, snapshot);
      if (base.isEmpty() && missing.isEmpty()) {
        // The object's first effect, which determines its type, is later than the snapshot.
        return Optional.empty();
      }
      if (base.isPresent() && missing.isEmpty() && snapshot.isAtOrBefore(from)) {
        return base;
      }
      Version materialized =
          fold(
              reader::effect,
              base.orElseGet(() -> Version.initial(missing.get(0).type())),
              missing,
              snapshot);
      if (!missing.isEmpty() && !snapshot.isAtOrBefore(view.manifest().checkpointTime())) {
        states.changed(materialized);
      }
      return Optional.of(materialized);
    }
  }

  private static VectorClock checkpointAt(CheckpointView view, VectorClock snapshot) {
    return view.newestAt(snapshot).map(Checkpoint::at).orElse(VectorClock.ZERO);
  }

  private Optional<Version> inCheckpoint(CheckpointView view, Bytes id, VectorClock snapshot) {
    return view.find(id, snapshot)
        .map(entry -> states.version(entry, view, checkpointAt(view, snapshot)));
  }

  /** Returns the effects that the snapshot sees and the base lacks, in commit order. */
  private static List<IndexedEffect> missing(
      EffectReader reader,
      Optional<EffectList> effects,
      CheckpointView view,
      Bytes id,
      VectorClock base,
      VectorClock snapshot) {
    List<IndexedEffect> inMemory =
        effects.map(list -> list.between(base, snapshot)).orElse(List.of());
    long[] positions = view.positionsAfter(id, base);
    if (positions.length == 0) {
      return inMemory;
    }
    // An effect that is both in memory and in a history file counts once.
    return Stream.concat(inMemory.stream(), reader.effectsOf(id, positions).stream())
        .filter(effect -> effect.commit().isVisibleAt(snapshot))
        .filter(effect -> !effect.commit().isVisibleAt(base))
        .sorted(COMMIT_ORDER)
        .filter(new Distinct()::isNew)
        .toList();
  }

  /** Like {@link #missing}, by scanning the journal unless no effects can be missing. */
  private List<IndexedEffect> filtered(
      EffectReader reader,
      Optional<ObjectContent> content,
      Bytes id,
      VectorClock base,
      VectorClock snapshot) {
    boolean isKnownToLackNone =
        index.floor().isAtOrBefore(base)
            && content
                .flatMap(ObjectContent::unlisted)
                .map(unlisted -> unlisted.last().isAtOrBefore(base))
                .orElse(true);
    return isKnownToLackNone
        ? List.of()
        : reader.effectsOf(id, reader.positionsOf(id, base, snapshot)).stream()
            .sorted(COMMIT_ORDER)
            .toList();
  }

  /**
   * Returns the objects of a range with effects that a snapshot sees, the newest checkpoint at or
   * before it lacks, and the index does not list. Scans the journal.
   */
  Set<Bytes> writtenUnlisted(IdRange range, VectorClock snapshot) {
    Set<Bytes> written = new HashSet<>();
    try (EffectReader reader = new EffectReader(journal, recent);
        CheckpointView view = checkpoints.view()) {
      VectorClock base = checkpointAt(view, snapshot);
      if (!index.listsEffects() && !index.floor().isAtOrBefore(base)) {
        reader.filter(base, snapshot, (commit, id) -> written.add(id));
      }
    }
    written.removeIf(id -> !range.contains(id));
    return written;
  }

  private static Version fold(
      Function<IndexedEffect, Object> read,
      Version base,
      List<IndexedEffect> missing,
      VectorClock snapshot) {
    TypedFold fold = new TypedFold(base);
    VectorClock since = base.since();
    long last = 0;
    long copiedBefore = PageCopyCounter.bytes();
    for (IndexedEffect effect : missing) {
      fold.apply(effect.type(), read.apply(effect), effect.commit().origin());
      since = since.join(effect.commit().vector());
      last = effect.commit().time();
    }
    return fold.version(since, snapshot, StateSizeEstimate.estimate(base, missing, fold, last))
        .copying(PageCopyCounter.bytes() - copiedBefore);
  }

  /** Filters adjacent duplicates of an effect. */
  private static final class Distinct {
    private Optional<IndexedEffect> last = Optional.empty();

    boolean isNew(IndexedEffect effect) {
      boolean isNew = last.isEmpty() || COMMIT_ORDER.compare(last.get(), effect) != 0;
      last = Optional.of(effect);
      return isNew;
    }
  }
}
