package io.github.stablecut.internal.partition;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.internal.record.TransactionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The objects that prepared transactions have certified: no other transaction may write them until
 * those are decided. Used under the commit lock.
 */
final class CertifiedObjects {
  /** By object; none of the sets is empty. */
  private final Map<Bytes, Set<TransactionId>> holders = new HashMap<>();

  /** A range of ids that a prepared transaction has certified. */
  private record HeldRange(Footprint.Elements ids, TransactionId holder) {}

  private final List<HeldRange> ranges = new ArrayList<>(0);

  /** Whether nothing is certified. */
  boolean isEmpty() {
    return holders.isEmpty() && ranges.isEmpty();
  }

  /** A prepared transaction that has certified an object; empty if none has. */
  Optional<TransactionId> holder(Bytes id) {
    Set<TransactionId> found = holders.get(id);
    return found == null
        ? ranges.stream().filter(range -> range.ids.contains(id)).map(HeldRange::holder).findFirst()
        : Optional.of(found.iterator().next());
  }

  /** Adds the certified objects of a prepared transaction. */
  void add(CommitRequest part) {
    for (Bytes id : part.certified()) {
      boolean unused = holders.computeIfAbsent(id, key -> new HashSet<>(1)).add(part.id());
    }
    part.ranges().forEach(range -> ranges.add(new HeldRange(range, part.id())));
  }

  /** Removes the certified objects of a transaction that is decided. */
  void remove(CommitRequest part) {
    for (Bytes id : part.certified()) {
      var unused =
          holders.computeIfPresent(
              id,
              (key, transactions) -> {
                boolean unusedToo = transactions.remove(part.id());
                return transactions.isEmpty() ? null : transactions;
              });
    }
    boolean unused = ranges.removeIf(range -> range.holder.equals(part.id()));
  }
}
