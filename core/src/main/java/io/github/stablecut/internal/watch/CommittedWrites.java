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
 * The objects that a transaction has written, as far as a filter selects them. Immutable.
 *
 * @param at the commit vector
 * @param objects the objects, in order; an object that was written as several types appears once
 *     for each
 */
public record CommittedWrites(VectorClock at, Set<WrittenObject> objects) {
  /** Makes the set unmodifiable; the caller must not retain it. */
  public CommittedWrites {
    objects = Collections.unmodifiableSet(objects);
  }

  /**
   * An object and a type that it was written as.
   *
   * @param effects the encoded effects on it, in order; empty if the filter excludes them
   */
  public record WrittenObject(Bytes id, CrdtType<?, ?, ?, ?> type, List<Bytes> effects) {
    /** Copies. */
    public WrittenObject {
      effects = List.copyOf(effects);
    }

    /** A written object without effects. */
    public WrittenObject(Bytes id, CrdtType<?, ?, ?, ?> type) {
      this(id, type, List.of());
    }

    private Object name() {
      return Map.entry(id, type);
    }

    private WrittenObject withoutEffects() {
      return effects.isEmpty() ? this : new WrittenObject(id, type);
    }

    private long bytes() {
      long bytes = id.length();
      for (Bytes effect : effects) {
        bytes += effect.length();
      }
      return bytes;
    }
  }

  /** Collects the writes of a transaction. Confined to one thread. */
  static final class Builder {
    private final Map<Object, WrittenObject> objects = new LinkedHashMap<>();

    /**
     * Adds an object that was written.
     *
     * @param effects empty if the filter excludes them
     */
    void add(Bytes id, CrdtType<?, ?, ?, ?> type, List<Bytes> effects) {
      WrittenObject written = new WrittenObject(id, type, effects);
      objects.merge(written.name(), written, Builder::both);
    }

    private static WrittenObject both(WrittenObject first, WrittenObject then) {
      List<Bytes> effects = new ArrayList<>(first.effects);
      effects.addAll(then.effects);
      return new WrittenObject(first.id, first.type, effects);
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

  /** The data centre that committed it, whose entry is above all others. */
  int dataCentre() {
    int greatest = 0;
    for (int entry = 1; entry < at.size(); entry++) {
      greatest = at.get(entry) > at.get(greatest) ? entry : greatest;
    }
    return greatest;
  }

  /** The commit time, which is unique in a data centre and orders the changes. */
  long time() {
    return LocalDataCentre.commitTimeOf(at);
  }

  /** The total size of the objects' names and effects, in bytes. */
  long bytes() {
    long bytes = 0;
    for (WrittenObject written : objects) {
      bytes += written.bytes();
    }
    return bytes;
  }

  /**
   * Merges this with the transaction's writes on another partition, or with repeated writes. The
   * effects on an object come from one partition, all of them or none.
   */
  CommittedWrites with(CommittedWrites elsewhere) {
    Map<Object, WrittenObject> all = new LinkedHashMap<>();
    objects.forEach(written -> all.put(written.name(), written));
    elsewhere.objects.forEach(
        written ->
            all.merge(
                written.name(), written, (one, other) -> one.effects.isEmpty() ? other : one));
    return new CommittedWrites(at, new LinkedHashSet<>(all.values()));
  }

  /** Returns the part that a filter selects; empty if there is none. */
  Optional<CommittedWrites> of(CommitFilter filter) {
    Predicate<WrittenObject> isWanted = written -> filter.range().contains(written.id);
    boolean isAsWanted =
        objects.stream().allMatch(isWanted)
            && (filter.withEffects()
                || objects.stream().allMatch(written -> written.effects.isEmpty()));
    if (isAsWanted) {
      return objects.isEmpty() ? Optional.empty() : Optional.of(this);
    }
    Set<WrittenObject> remaining = new LinkedHashSet<>();
    for (WrittenObject written : objects) {
      if (isWanted.test(written)) {
        remaining.add(filter.withEffects() ? written : written.withoutEffects());
      }
    }
    return remaining.isEmpty() ? Optional.empty() : Optional.of(new CommittedWrites(at, remaining));
  }
}
