package io.github.stablecut.internal.partition;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.record.TransactionId;
import java.util.HashMap;
import java.util.HashSet;
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

  /** Whether nothing is certified. */
  boolean isEmpty() {
    return holders.isEmpty();
  }

  /** A prepared transaction that has certified an object; empty if none has. */
  Optional<TransactionId> holder(Bytes id) {
    Set<TransactionId> found = holders.get(id);
    return found == null ? Optional.empty() : Optional.of(found.iterator().next());
  }

  /** Adds the certified objects of a prepared transaction. */
  void add(CommitRequest part) {
    for (Bytes id : part.certified()) {
      boolean unused = holders.computeIfAbsent(id, key -> new HashSet<>(1)).add(part.id());
    }
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
  }
}
