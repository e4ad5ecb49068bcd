package io.github.stablecut.internal.index;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.internal.record.TransactionId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The index of objects in memory, by id: those with effects that are in no checkpoint yet and those
 * with a cached version. Thread-safe; readers take no lock. Effects are appended under the commit
 * lock, in the order of commit times.
 *
 * <p>Invariant: an effect is in the index from before any snapshot sees its transaction until
 * readers see a checkpoint that includes it.
 */
public final class ObjectIndex {
  private final ObjectTable objects = new ObjectTable();

  /**
   * The objects with effects in order, for scans and checkpoints. Updated together with the
   * entries.
   */
  private final OrderedObjects withEffects = new OrderedObjects();

  /** The objects with intents. */
  private final ConcurrentSkipListSet<Bytes> undecided = new ConcurrentSkipListSet<>();

  private final TombstoneRanges tombstones = new TombstoneRanges();

  /** The most recently changed objects. */
  private final RecentChanges recent = new RecentChanges();

  /** The maximum number of objects of several types that are remembered. */
  private static final int MAX_SEVERAL = 1_000;

  private final boolean listsEffects;

  /** Known objects of several types, whether or not they are in memory. */
  private final Set<Bytes> several = ConcurrentHashMap.newKeySet();

  /**
   * Effects at or before the floor are in checkpoints only, so versions below it would lack
   * effects.
   */
  private volatile VectorClock floor = VectorClock.ZERO;

  /**
   * @param listsEffects whether effects are listed; otherwise only their summary is known
   */
  public ObjectIndex(boolean listsEffects) {
    this.listsEffects = listsEffects;
  }

  /** Whether effects are listed. */
  public boolean listsEffects() {
    return listsEffects;
  }

  /** The entry of an object; empty if it is not in memory. */
  public Optional<ObjectEntry> get(Bytes id) {
    return Optional.ofNullable(find(id));
  }

  /** Like {@link #get}, without an allocation; null if the object is not in memory. */
  public @Nullable ObjectEntry find(Bytes id) {
    return objects.find(id);
  }

  /**
   * Adds the newest effect on an object.
   *
   * @return how many effects the newest version of the object lacks
   */
  @CanIgnoreReturnValue
  public int append(Bytes id, IndexedEffect effect) {
    ObjectEntry added =
        objects.change(
            id,
            entry -> {
              boolean isFirst = !entry.content().hasEffects();
              entry.add(effect, listsEffects);
              if (isFirst) {
                withEffects.put(entry);
              }
            });
    tombstones.written(id);
    recent.add(id);
    noteTypes(id, added);
    return added == null ? 0 : added.content().unfolded();
  }

  /** Adds the intent of an undecided transaction to write an object. */
  public void announce(Bytes id, Intent intent) {
    objects.change(
        id,
        entry -> {
          entry.announce(intent);
          undecided.add(id);
        });
    tombstones.written(id);
  }

  /**
   * Replaces a transaction's intent by its effects, atomically for readers. An aborted transaction
   * has no effects.
   */
  public void decide(Bytes id, TransactionId transaction, List<IndexedEffect> effects) {
    ObjectEntry decided =
        objects.changeKnown(
            id,
            entry -> {
              entry.decide(transaction, effects, listsEffects);
              if (!effects.isEmpty()) {
                withEffects.put(entry);
              }
              if (entry.content().intents().isEmpty()) {
                undecided.remove(id);
              }
            });
    tombstones.written(id);
    if (!effects.isEmpty() && decided != null) {
      recent.add(id);
      noteTypes(id, decided);
    }
  }

  /** The ranges in which scans found no objects. */
  public TombstoneRanges tombstones() {
    return tombstones;
  }

  /** Whether there are intents of undecided transactions to write objects between two ids. */
  public boolean isAnyUndecided(Bytes from, Bytes until) {
    Bytes first = undecided.ceiling(from);
    return first != null && first.compareTo(until) < 0;
  }

  /** The number of effects added so far, all of which are in the index. */
  public long changes() {
    return recent.count();
  }

  /**
   * Whether {@link #forEachChangedSince} can visit the objects now, and still could after as many
   * changes again.
   */
  public boolean remembersChangesSince(long changes) {
    return recent.remembersSince(changes);
  }

  /**
   * Visits the objects that got effects since a number of changes. Under the commit lock.
   *
   * @return whether all were visited; otherwise some are unknown and none was visited
   */
  public boolean forEachChangedSince(long changes, Consumer<Bytes> visitor) {
    return recent.forEachSince(changes, visitor);
  }

  /** Visits the objects of a range of ids that have effects, in order. */
  public void forEachWithEffects(Footprint.Elements range, BiConsumer<Bytes, ObjectEntry> visitor) {
    withEffects.forEachFrom(
        range.from(),
        (id, entry) -> {
          boolean isInside = range.contains(id);
          if (isInside) {
            visitor.accept(id, entry);
          }
          return isInside;
        });
  }

  /**
   * Offers a version of an object for later readers. It is kept unless an equally new version
   * exists.
   *
   * @return the object's entry; empty if effects that the version may lack were dropped meanwhile
   */
  public Optional<ObjectEntry> offer(Bytes id, Version version) {
    ObjectEntry keeping =
        objects.change(
            id,
            entry -> {
              if (floor.isAtOrBefore(version.at())) {
                entry.offer(version);
              }
            });
    noteTypes(id, keeping);
    return Optional.ofNullable(keeping);
  }

  private void noteTypes(Bytes id, @Nullable ObjectEntry entry) {
    if (entry != null && entry.types().areSeveral()) {
      noteSeveralTypes(id);
    }
  }

  /** Records that an object has several types. */
  public void noteSeveralTypes(Bytes id) {
    if (several.size() < MAX_SEVERAL) {
      several.add(id);
    }
  }

  /** Records that a checkpoint contains an object as a single type. */
  public void noteOneType(Bytes id) {
    if (!several.isEmpty() && !get(id).filter(entry -> entry.types().areSeveral()).isPresent()) {
      several.remove(id);
    }
  }

  /** The known objects of several types. */
  public Set<Bytes> withSeveralTypes() {
    return Collections.unmodifiableSet(several);
  }

  /** Evicts an object's versions. */
  public void forget(Bytes id) {
    objects.changeKnown(id, ObjectEntry::evict);
  }

  /**
   * Evicts an object's versions that read pages of a checkpoint or exceed a size.
   *
   * @return the entry, if a version was evicted
   */
  public Optional<ObjectEntry> tryEvictPaged(Bytes id, long maxBytes) {
    List<ObjectEntry> changed = new ArrayList<>(1);
    objects.changeKnown(
        id,
        entry -> {
          if (entry.tryEvictPaged(maxBytes)) {
            changed.add(entry);
          }
        });
    return changed.stream().findFirst();
  }

  /**
   * Drops all effects at or before a vector. Called after readers see a checkpoint or history file
   * that includes them.
   */
  public void dropThrough(VectorClock vector) {
    // Raise the floor first: a version offered from now on is either rejected by it or found by the
    // iteration.
    floor = vector;
    objects.forEach(
        found ->
            objects.changeKnown(
                found.id(),
                entry -> {
                  entry.drop(vector);
                  if (!entry.content().hasEffects()) {
                    withEffects.remove(entry);
                  }
                }));
  }

  /** Sets the initial floor: checkpoints and history files include the effects at or before it. */
  public void beginAfter(VectorClock vector) {
    floor = vector;
  }

  /** The vector through which effects were dropped. */
  public VectorClock floor() {
    return floor;
  }

  /**
   * Visits the objects that have effects, in order. May miss objects that get their first effect
   * meanwhile.
   */
  public void forEachWithEffects(BiConsumer<Bytes, ObjectEntry> visitor) {
    withEffects.forEachFrom(
        Bytes.EMPTY,
        (id, entry) -> {
          if (entry.content().hasEffects()) {
            visitor.accept(id, entry);
          }
          return true;
        });
  }

  /**
   * The first objects of a range that have effects. May miss objects that get their first effect
   * meanwhile.
   *
   * @param isDescending whether to start with the greatest ids
   * @param limit the maximum number, at least 1
   */
  public List<Map.Entry<Bytes, ObjectEntry>> withEffects(
      IdRange range, boolean isDescending, int limit) {
    return withEffects.first(range, isDescending, limit);
  }

  /** The number of objects in memory. */
  public int size() {
    return objects.size();
  }
}
