package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The objects that a transaction has written, as far as somebody wants to know. Immutable.
 *
 * @param at its commit vector
 * @param objects the ids and types of the objects
 */
public record CommittedWrites(VectorClock at, Map<Bytes, CrdtType<?, ?, ?, ?>> objects) {
  /** Makes the map unmodifiable; nobody else has it. */
  public CommittedWrites {
    objects = Collections.unmodifiableMap(objects);
  }

  static CommittedWrites of(Committed committed) {
    Map<Bytes, CrdtType<?, ?, ?, ?>> objects = new LinkedHashMap<>();
    committed.forEachWritten(objects::put);
    return new CommittedWrites(committed.commitVector(), objects);
  }

  /** The time of the commit: unique in a data centre, and the order of changes. */
  long time() {
    return LocalDataCentre.commitTimeOf(at);
  }

  /** The same transaction with what it has written in another partition. */
  CommittedWrites with(CommittedWrites elsewhere) {
    Map<Bytes, CrdtType<?, ?, ?, ?>> all = new LinkedHashMap<>(objects);
    all.putAll(elsewhere.objects);
    return new CommittedWrites(at, all);
  }

  /** What of it is in a range; empty if nothing is. */
  Optional<CommittedWrites> in(IdRange range) {
    long inRange = objects.keySet().stream().filter(range::contains).count();
    if (inRange == 0 || inRange == objects.size()) {
      return inRange == 0 ? Optional.empty() : Optional.of(this);
    }
    Map<Bytes, CrdtType<?, ?, ?, ?>> wanted = new LinkedHashMap<>(objects);
    var unused = wanted.keySet().removeIf(id -> !range.contains(id));
    return Optional.of(new CommittedWrites(at, wanted));
  }
}
