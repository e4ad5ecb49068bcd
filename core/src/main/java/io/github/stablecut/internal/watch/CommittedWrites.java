package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The objects that a transaction has written, as far as somebody wants to know. Immutable.
 *
 * @param at its commit vector
 * @param objects the objects, in order; one that was written as several types is there as each
 */
public record CommittedWrites(VectorClock at, Set<Written> objects) {
  /** Makes the set unmodifiable; nobody else has it. */
  public CommittedWrites {
    objects = Collections.unmodifiableSet(objects);
  }

  /**
   * An object, and a type that it was written as.
   *
   * @param effects what was done to it, encoded, in order; empty if nobody wants to know
   */
  public record Written(Bytes id, CrdtType<?, ?, ?, ?> type, List<Bytes> effects) {
    /** Copies. */
    public Written {
      effects = List.copyOf(effects);
    }

    /** Without what was done to it. */
    public Written(Bytes id, CrdtType<?, ?, ?, ?> type) {
      this(id, type, List.of());
    }

    private Object name() {
      return Map.entry(id, type);
    }

    private Written withoutEffects() {
      return effects.isEmpty() ? this : new Written(id, type);
    }

    private long bytes() {
      long bytes = id.length();
      for (Bytes effect : effects) {
        bytes += effect.length();
      }
      return bytes;
    }
  }

  /** Collects what a transaction has written. Confined to one thread. */
  static final class Builder {
    private final Map<Object, Written> objects = new LinkedHashMap<>();

    /**
     * Adds an object that was written.
     *
     * @param effects empty if they are not wanted
     */
    void add(Bytes id, CrdtType<?, ?, ?, ?> type, List<Bytes> effects) {
      Written written = new Written(id, type, effects);
      var unused = objects.merge(written.name(), written, Builder::both);
    }

    private static Written both(Written first, Written then) {
      List<Bytes> effects = new ArrayList<>(first.effects);
      effects.addAll(then.effects);
      return new Written(first.id, first.type, effects);
    }

    boolean isEmpty() {
      return objects.isEmpty();
    }

    CommittedWrites build(VectorClock at) {
      return new CommittedWrites(at, new LinkedHashSet<>(objects.values()));
    }
  }

  static CommittedWrites of(CommittedTransaction committed, boolean withEffects) {
    Builder builder = new Builder();
    committed.forEachWritten(
        (id, type, effects) ->
            builder.add(
                id, type, withEffects ? effects.stream().map(Bytes::wrap).toList() : List.of()));
    return builder.build(committed.commitVector());
  }

  /** The data centre that has committed it: its entry is above all others. */
  int dataCentre() {
    int greatest = 0;
    for (int entry = 1; entry < at.size(); entry++) {
      greatest = at.get(entry) > at.get(greatest) ? entry : greatest;
    }
    return greatest;
  }

  /** The time of the commit: unique in a data centre, and the order of changes. */
  long time() {
    return LocalDataCentre.commitTimeOf(at);
  }

  /** How many bytes the names of the objects have, and the effects that it holds. */
  long bytes() {
    long bytes = 0;
    for (Written written : objects) {
      bytes += written.bytes();
    }
    return bytes;
  }

  /**
   * The same transaction with what it has written in another partition, or with the same once more:
   * what was done to an object is told by one partition, wholly or not at all.
   */
  CommittedWrites with(CommittedWrites elsewhere) {
    Map<Object, Written> all = new LinkedHashMap<>();
    objects.forEach(written -> all.put(written.name(), written));
    elsewhere.objects.forEach(
        written ->
            all.merge(
                written.name(), written, (one, other) -> one.effects.isEmpty() ? other : one));
    return new CommittedWrites(at, new LinkedHashSet<>(all.values()));
  }

  /** What of it is wanted; empty if nothing is. */
  Optional<CommittedWrites> of(CommitFilter wanted) {
    Predicate<Written> isWanted = written -> wanted.range().contains(written.id);
    boolean isAsWanted =
        objects.stream().allMatch(isWanted)
            && (wanted.withEffects()
                || objects.stream().allMatch(written -> written.effects.isEmpty()));
    if (isAsWanted) {
      return objects.isEmpty() ? Optional.empty() : Optional.of(this);
    }
    Set<Written> left = new LinkedHashSet<>();
    for (Written written : objects) {
      if (isWanted.test(written)) {
        left.add(wanted.withEffects() ? written : written.withoutEffects());
      }
    }
    return left.isEmpty() ? Optional.empty() : Optional.of(new CommittedWrites(at, left));
  }
}
