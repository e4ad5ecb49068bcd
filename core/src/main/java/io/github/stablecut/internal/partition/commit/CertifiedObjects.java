package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.internal.record.TransactionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The parts of objects that prepared transactions have certified: no other transaction may change
 * them until those are decided. Used under the commit lock.
 */
final class CertifiedObjects {
  /** By object; none of the maps is empty. */
  private final Map<Bytes, Map<TransactionId, Set<Footprint>>> holders = new HashMap<>();

  /** A range of ids that a prepared transaction has certified. */
  private record HeldRange(Footprint.Elements ids, TransactionId holder) {}

  private final List<HeldRange> ranges = new ArrayList<>(0);

  /** Whether nothing is certified. */
  boolean isEmpty() {
    return holders.isEmpty() && ranges.isEmpty();
  }

  /** A prepared transaction that has certified what a write changes; empty if none has. */
  Optional<TransactionId> holder(CommitRequest.ObjectWrite write) {
    return isEmpty() ? Optional.empty() : holdersOf(write).findFirst();
  }

  /** The prepared transactions that have certified what a write changes. */
  List<TransactionId> holders(CommitRequest.ObjectWrite write) {
    return isEmpty() ? List.of() : holdersOf(write).toList();
  }

  private Stream<TransactionId> holdersOf(CommitRequest.ObjectWrite write) {
    return Stream.concat(
        holders.getOrDefault(write.id(), Map.of()).entrySet().stream()
            .filter(held -> Footprints.mayTouch(write, held.getValue()))
            .map(Map.Entry::getKey),
        ranges.stream().filter(range -> range.ids.contains(write.id())).map(HeldRange::holder));
  }

  /** Adds what a prepared transaction has certified. */
  void add(CommitRequest part) {
    for (Bytes id : part.certified()) {
      holders.computeIfAbsent(id, key -> new HashMap<>(1)).put(part.id(), part.footprints(id));
    }
    part.ranges().forEach(range -> ranges.add(new HeldRange(range, part.id())));
  }

  /** Removes what a decided transaction had certified. */
  void remove(CommitRequest part) {
    for (Bytes id : part.certified()) {
      holders.computeIfPresent(
          id,
          (key, transactions) -> {
            transactions.remove(part.id());
            return transactions.isEmpty() ? null : transactions;
          });
    }
    ranges.removeIf(range -> range.holder.equals(part.id()));
  }
}
