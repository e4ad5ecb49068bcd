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
 * The objects in memory, by id: those with effects that are in no checkpoint yet, and those with a
 * kept version. Thread-safe; reading takes no lock. Effects are appended under the commit lock, in
 * the order of commit times.
 *
 * <p>Invariant: an effect is in the index before any snapshot sees its transaction, and until a
 * checkpoint that has it is published to readers.
 */
public final class ObjectIndex {
  private final ObjectTable objects = new ObjectTable();

  /** The objects with effects, in order: for scans and checkpoints. Changed with the entries. */
  private final OrderedObjects withEffects = new OrderedObjects();

  /** The objects with intents. */
  private final ConcurrentSkipListSet<Bytes> undecided = new ConcurrentSkipListSet<>();

  private final TombstoneRanges deadRuns = new TombstoneRanges();

  /** The objects that were changed last. */
  private final RecentChanges recent = new RecentChanges();

  /** No more objects of several types are remembered. */
  private static final int MOST_SEVERAL = 1_000;

  private final boolean listsEffects;

  /** Objects of several types, as far as that was noticed, whether or not they are in memory. */
  private final Set<Bytes> several = ConcurrentHashMap.newKeySet();

  /** Effects at or before it are in checkpoints only, so versions below it would lack effects. */
  private volatile VectorClock floor = VectorClock.ZERO;

  /**
   * @param listsEffects whether effects are listed; otherwise only their existence is known
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

  /** As {@link #get}, without an allocation; null if the object is not in memory. */
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
    deadRuns.written(id);
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
    deadRuns.written(id);
  }

  /**
   * Replaces the intent of a transaction by its effects, none if it was aborted, atomically for
   * readers.
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
    deadRuns.written(id);
    if (!effects.isEmpty() && decided != null) {
      recent.add(id);
      noteTypes(id, decided);
    }
  }

  /** The ranges in which scans have seen nothing. */
  public TombstoneRanges deadRuns() {
    return deadRuns;
  }

  /** Whether there are intents of undecided transactions to write objects between two ids. */
  public boolean isAnyUndecided(Bytes from, Bytes until) {
    Bytes first = undecided.ceiling(from);
    return first != null && first.compareTo(until) < 0;
  }

  /** How many effects were added so far. All of them are in the index. */
  public long changes() {
    return recent.count();
  }

  /**
   * Whether {@link #forEachChangedSince} would know the objects now, with room for as many changes
   * again.
   */
  public boolean remembersChangesSince(long changes) {
    return recent.remembersSince(changes);
  }

  /**
   * Visits the objects that got effects since a number of changes. Under the commit lock.
   *
   * @return whether they are all known; otherwise none was visited
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
   * Offers a version of an object for later readers; it is kept unless an equally new one is.
   *
   * @return the entry that keeps it; empty if effects that the version may lack were dropped
   *     meanwhile
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

  /** Takes note that an object has several types. */
  public void noteSeveralTypes(Bytes id) {
    if (several.size() < MOST_SEVERAL) {
      several.add(id);
    }
  }

  /** Takes note that a checkpoint has an object as one of one type. */
  public void noteOneType(Bytes id) {
    if (!several.isEmpty() && !get(id).filter(entry -> entry.types().areSeveral()).isPresent()) {
      several.remove(id);
    }
  }

  /** The objects of several types, as far as that was noticed. */
  public Set<Bytes> withSeveralTypes() {
    return Collections.unmodifiableSet(several);
  }

  /** Evicts an object's versions. */
  public void forget(Bytes id) {
    objects.changeKnown(id, ObjectEntry::forget);
  }

  /**
   * Evicts those of an object's versions that read pages of a checkpoint, and those that take more
   * than some bytes.
   *
   * @return the entry that had them; empty if there were none
   */
  public Optional<ObjectEntry> forgetInPages(Bytes id, long mostBytes) {
    List<ObjectEntry> changed = new ArrayList<>(1);
    objects.changeKnown(
        id,
        entry -> {
          if (entry.forgetInPages(mostBytes)) {
            changed.add(entry);
          }
        });
    return changed.stream().findFirst();
  }

  /**
   * Drops all effects at or before a vector, once readers see a checkpoint or history file that has
   * them.
   */
  public void dropThrough(VectorClock vector) {
    // First, so that a version offered from now on is either refused here or found by the
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

  /** Starts with the effects after a vector: checkpoints and history files have the others. */
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
   * @param isDescending whether those with the greatest ids are the first
   * @param limit how many at most, at least 1
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
