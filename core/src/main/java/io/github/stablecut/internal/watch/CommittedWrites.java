package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

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

  /** An object, and a type that it was written as. */
  public record Written(Bytes id, CrdtType<?, ?, ?, ?> type) {}

  static CommittedWrites of(Committed committed) {
    Set<Written> objects = new LinkedHashSet<>();
    committed.forEachWritten((id, type) -> objects.add(new Written(id, type)));
    return new CommittedWrites(committed.commitVector(), objects);
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

  /** The same transaction with what it has written in another partition. */
  CommittedWrites with(CommittedWrites elsewhere) {
    Set<Written> all = new LinkedHashSet<>(objects);
    all.addAll(elsewhere.objects);
    return new CommittedWrites(at, all);
  }

  /** What of it is in a range; empty if nothing is. */
  Optional<CommittedWrites> in(IdRange range) {
    long inRange = objects.stream().filter(written -> range.contains(written.id)).count();
    if (inRange == 0 || inRange == objects.size()) {
      return inRange == 0 ? Optional.empty() : Optional.of(this);
    }
    Set<Written> wanted = new LinkedHashSet<>(objects);
    var unused = wanted.removeIf(written -> !range.contains(written.id));
    return Optional.of(new CommittedWrites(at, wanted));
  }
}
