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
 * Folds effects onto a base (report section 2.4): a version that is in memory, or the one of a
 * checkpoint. Lazy: an effect is folded by the first reader that sees it and is then part of the
 * version that the next reader starts from, so that reads cost a constant per write, whatever the
 * length of the journal. A read of an object that nothing was done to since the last read is two
 * look-ups: no lock, no I/O, no copy.
 *
 * <p>Any base whose effects the snapshot all sees gives the same answer, because what is visible is
 * closed under causality.
 */
public final class Materializer implements VersionSource {
  private static final Comparator<IndexedEffect> COMMIT_ORDER =
      EffectList.ORDER.thenComparingInt(IndexedEffect::ordinal);

  /** What a byte of an effect changes in a state, copied nodes included: measured for sets. */
  private static final int FOLDED_PER_BYTE = 32;

  /** Folding more takes too long where nobody else must wait. */
  private static final int MOST_EFFECTS_AT_ONCE = 8;

  private static final int MOST_BYTES_AT_ONCE = 16 << 10;

  /** What a byte of a state takes in memory. */
  private static final int HELD_PER_BYTE = 8;

  private final ObjectIndex index;
  private final VersionCache cache;
  private final CheckpointStore checkpoints;
  private final PagedStates states;
  private final ReadCoalescer single = new ReadCoalescer();
  private final Journal journal;
  private final RecentRecords recent = new RecentRecords();

  /**
   * @param states reads the states of checkpoints
   * @param journal read for effects that are not in memory any more
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
   * What {@link #versionAt} answers, if that is kept and complete; or null. It is right whatever is
   * truncated meanwhile: nothing was done to the object after it.
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
        ? single.read(id, () -> Optional.ofNullable(hit(id, snapshot)).or(() -> made(id, snapshot)))
        : made(id, snapshot);
  }

  /**
   * What {@link #versionAt} answers, if few effects that are in memory are folded for that onto a
   * small version that is kept; otherwise null. Neither waits nor reads a disk.
   */
  public @Nullable Version folded(Bytes id, VectorClock snapshot) {
    ObjectEntry entry = index.find(id);
    if (entry == null || !cache.keeps() || !index.listsEffects()) {
      return null;
    }
    // Before the floor: what was dropped of these effects is below that.
    ObjectEntry.Content content = entry.content();
    Version base = content.newest();
    if (base == null
        || !base.canServe(snapshot)
        || base.isInPages()
        || base.heldBytes() > MOST_BYTES_AT_ONCE
        || content.unfolded() > MOST_EFFECTS_AT_ONCE
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
    Version made = fold(effect -> next.next(), base, missing, snapshot);
    states.changed(made);
    index.offer(id, made).ifPresent(cache::made);
    return made;
  }

  /** The effects, decoded; null if there are too many, or one is not in memory any more. */
  private static @Nullable List<Object> fewInMemory(List<IndexedEffect> listed) {
    if (listed.size() > MOST_EFFECTS_AT_ONCE) {
      return null;
    }
    List<Object> effects = new ArrayList<>(listed.size());
    long bytes = 0;
    for (IndexedEffect one : listed) {
      Optional<Object> effect = one.effect();
      bytes += one.bytes();
      if (effect.isEmpty() || bytes > MOST_BYTES_AT_ONCE) {
        return null;
      }
      effects.add(effect.get());
    }
    return effects;
  }

  /** Whether a version is in memory that one at a snapshot can be made of. */
  private boolean hasBase(Bytes id, VectorClock snapshot) {
    ObjectEntry entry = index.find(id);
    return entry != null && entry.content().base(snapshot).isPresent();
  }

  private Optional<Version> made(Bytes id, VectorClock snapshot) {
    Optional<Version> made = recorded(id, snapshot);
    if (cache.keeps() && made.isPresent()) {
      index.offer(id, made.get()).ifPresent(cache::made);
    }
    return made;
  }

  private Optional<Version> recorded(Bytes id, VectorClock snapshot) {
    ReadEvent event = new ReadEvent();
    event.begin();
    Optional<Version> made = materialise(id, snapshot);
    if (event.shouldCommit()) {
      event.object = Key.nameOf(id);
      event.commit();
    }
    return made;
  }

  /**
   * What a version at a snapshot would hold that nobody else does, about: what the effects change
   * that it has to fold, but no more than the whole state. 0 if that is not known.
   */
  public long foldedBytes(Bytes id, VectorClock snapshot) {
    ObjectEntry entry = index.find(id);
    if (entry == null) {
      return 0;
    }
    ObjectEntry.Content content = entry.content();
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
   * Evicts those of an object's versions that read pages of a checkpoint, and those that take more
   * than some bytes: readers make them again, in pages.
   */
  public void forgetInPages(Bytes id, long mostBytes) {
    index.forgetInPages(id, mostBytes).ifPresent(cache::shrank);
  }

  /**
   * The same answer, without keeping it for other readers: for checkpoints and scans, which would
   * push out what is read.
   */
  public Optional<Version> materialise(Bytes id, VectorClock snapshot) {
    return materialise(id, null, snapshot);
  }

  /**
   * The same answer, about an object whose entry in the index is known; null if it has to be looked
   * for.
   */
  Optional<Version> materialise(Bytes id, @Nullable ObjectEntry entry, VectorClock snapshot) {
    return materialise(
        id, entry, snapshot, (view, kept) -> kept.or(() -> inCheckpoint(view, id, snapshot)));
  }

  /**
   * The version of an object at a snapshot, folded onto a certain one, whatever else is in memory.
   *
   * @param base of the newest checkpoint at or before the snapshot
   */
  public Version materialiseOn(Version base, Bytes id, VectorClock snapshot) {
    return materialise(id, null, snapshot, (view, kept) -> Optional.of(base)).orElse(base);
  }

  private Optional<Version> materialise(
      Bytes id,
      @Nullable ObjectEntry entry,
      VectorClock snapshot,
      BiFunction<CheckpointView, Optional<Version>, Optional<Version>> base) {
    // The journal first: wherever the others point to, it stays.
    try (EffectReader reader = new EffectReader(journal, recent)) {
      return materialise(reader, id, entry, snapshot, base);
    }
  }

  private Optional<Version> materialise(
      EffectReader reader,
      Bytes id,
      @Nullable ObjectEntry entry,
      VectorClock snapshot,
      BiFunction<CheckpointView, Optional<Version>, Optional<Version>> choice) {
    // The effects first: whoever finds some of them dropped then finds the checkpoint that has
    // them.
    Optional<ObjectEntry.Content> content =
        Optional.ofNullable(entry == null ? index.find(id) : entry).map(ObjectEntry::content);
    try (CheckpointView view = checkpoints.view()) {
      Optional<Version> kept = content.flatMap(found -> found.base(snapshot));
      Optional<Version> base = choice.apply(view, kept);
      VectorClock from = base.map(Version::at).orElseGet(() -> checkpointAt(view, snapshot));
      List<IndexedEffect> missing =
          index.listsEffects()
              ? missing(reader, content.map(ObjectEntry.Content::effects), view, id, from, snapshot)
              : filtered(reader, content, id, from, snapshot);
      if (base.isEmpty() && missing.isEmpty()) {
        // The object's first effect, and with it its type, is later than the snapshot.
        return Optional.empty();
      }
      if (base.isPresent() && missing.isEmpty() && snapshot.isAtOrBefore(from)) {
        return base;
      }
      Version made =
          fold(
              reader::effect,
              base.orElseGet(() -> Version.initial(missing.get(0).type())),
              missing,
              snapshot);
      if (!missing.isEmpty() && !snapshot.isAtOrBefore(view.manifest().checkpointTime())) {
        states.changed(made);
      }
      return Optional.of(made);
    }
  }

  private static VectorClock checkpointAt(CheckpointView view, VectorClock snapshot) {
    return view.newestAt(snapshot).map(Checkpoint::at).orElse(VectorClock.ZERO);
  }

  private Optional<Version> inCheckpoint(CheckpointView view, Bytes id, VectorClock snapshot) {
    return view.find(id, snapshot)
        .map(entry -> states.version(entry, view, checkpointAt(view, snapshot)));
  }

  /** The effects that the snapshot sees and the base lacks, in commit order. */
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
    // What is in memory and in a history file too is the same effect of the same commit.
    return Stream.concat(inMemory.stream(), reader.effectsOf(id, positions).stream())
        .filter(effect -> effect.commit().isVisibleAt(snapshot))
        .filter(effect -> !effect.commit().isVisibleAt(base))
        .sorted(COMMIT_ORDER)
        .filter(new Distinct()::isNew)
        .toList();
  }

  /** The same from the journal, unless there can't be any. */
  private List<IndexedEffect> filtered(
      EffectReader reader,
      Optional<ObjectEntry.Content> content,
      Bytes id,
      VectorClock base,
      VectorClock snapshot) {
    boolean isKnownToLackNone =
        index.floor().isAtOrBefore(base)
            && content
                .flatMap(ObjectEntry.Content::unlisted)
                .map(unlisted -> unlisted.last().isAtOrBefore(base))
                .orElse(true);
    return isKnownToLackNone
        ? List.of()
        : reader.effectsOf(id, reader.positionsOf(id, base, snapshot)).stream()
            .sorted(COMMIT_ORDER)
            .toList();
  }

  /**
   * The objects of a range with effects which a snapshot sees, which the newest checkpoint at or
   * before it lacks, and which the index does not know: by filtering the journal.
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

  /** Passes the first of neighbours that are the same effect. */
  private static final class Distinct {
    private Optional<IndexedEffect> last = Optional.empty();

    boolean isNew(IndexedEffect effect) {
      boolean isNew = last.isEmpty() || COMMIT_ORDER.compare(last.get(), effect) != 0;
      last = Optional.of(effect);
      return isNew;
    }
  }
}
