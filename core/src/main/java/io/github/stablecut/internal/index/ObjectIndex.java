package io.github.stablecut.internal.index;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.internal.record.TransactionId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The objects that are in memory, by their ids: those with effects that no checkpoint replaces yet,
 * and those of which a version is kept. Thread-safe; reading takes no lock. Effects are appended
 * under the commit lock, in the order of commit times.
 *
 * <p>Invariant: an effect is in the index before any snapshot sees its transaction, and until a
 * checkpoint that has it is published to readers.
 */
public final class ObjectIndex {
  private final ConcurrentHashMap<Bytes, ObjectEntry> objects = new ConcurrentHashMap<>();
  private final boolean listsEffects;

  /** What is at or before it is in checkpoints only: versions below it would lack effects. */
  private volatile VectorClock floor = VectorClock.ZERO;

  /**
   * @param listsEffects whether effects are listed; else only that there are some is known
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

  /** As {@link #get}, or null: a hit is a look-up, and is not to cost more. */
  public @Nullable ObjectEntry find(Bytes id) {
    return objects.get(id);
  }

  /**
   * Adds the newest effect on an object.
   *
   * @return how many effects the newest version of the object lacks
   */
  @CanIgnoreReturnValue
  public int append(Bytes id, CrdtType<?, ?, ?, ?> type, IndexedEffect effect) {
    ObjectEntry added =
        objects.compute(
            id,
            (key, known) -> {
              ObjectEntry entry = known == null ? new ObjectEntry() : known;
              entry.add(type, effect, listsEffects);
              return entry;
            });
    return added.content().unfolded();
  }

  /** Takes note that an object may be written by a transaction that is not decided yet. */
  public void announce(Bytes id, Intent intent) {
    var unused =
        objects.compute(
            id,
            (key, known) -> {
              ObjectEntry entry = known == null ? new ObjectEntry() : known;
              entry.announce(intent);
              return entry;
            });
  }

  /**
   * Replaces the intent of a transaction by its effects, which are none if it was aborted, in one
   * step for readers.
   */
  public void decide(Bytes id, TransactionId transaction, List<IndexedEffect> effects) {
    var unused =
        objects.computeIfPresent(
            id,
            (key, entry) -> {
              entry.decide(transaction, effects, listsEffects);
              return entry.isEmpty() ? null : entry;
            });
  }

  /**
   * Keeps a version of an object for later readers, unless one as new is kept already.
   *
   * @return the entry that keeps it; empty if effects were dropped meanwhile that the version may
   *     lack
   */
  public Optional<ObjectEntry> offer(Bytes id, Version version) {
    return Optional.ofNullable(
        objects.compute(
            id,
            (key, known) -> {
              if (!floor.isAtOrBefore(version.at())) {
                return known;
              }
              ObjectEntry entry = known == null ? new ObjectEntry() : known;
              entry.offer(version);
              return entry;
            }));
  }

  /** Lets go of an object's versions. */
  public void forget(Bytes id) {
    objects.computeIfPresent(
        id,
        (key, entry) -> {
          entry.forget();
          return entry.isEmpty() ? null : entry;
        });
  }

  /**
   * Lets go of all effects that are at or before a vector; a checkpoint or a history file has them,
   * and readers see it.
   */
  public void dropThrough(VectorClock vector) {
    // First, so that a version that is offered from now on is either refused or seen by the walk.
    floor = vector;
    for (Bytes id : objects.keySet()) {
      objects.computeIfPresent(
          id,
          (key, entry) -> {
            entry.drop(vector);
            return entry.isEmpty() ? null : entry;
          });
    }
  }

  /**
   * Begins with effects after a vector only: what is at or before it is in checkpoints and history
   * files.
   */
  public void beginAfter(VectorClock vector) {
    floor = vector;
  }

  /** The vector that effects were dropped through. */
  public VectorClock floor() {
    return floor;
  }

  /** Visits the objects that have effects. Those that get their first meanwhile may be missed. */
  public void forEachWithEffects(BiConsumer<Bytes, ObjectEntry> visitor) {
    objects.forEach(
        (id, entry) -> {
          if (entry.content().hasEffects()) {
            visitor.accept(id, entry);
          }
        });
  }

  /** The number of objects in memory. */
  public int size() {
    return objects.size();
  }
}
