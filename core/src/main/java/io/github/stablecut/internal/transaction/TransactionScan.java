package io.github.stablecut.internal.transaction;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.materializer.FoundObject;
import io.github.stablecut.internal.materializer.FoundObjects;
import java.util.Collections;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A scan of the objects that a transaction sees: those of its snapshot and those that it had
 * written when the scan began, in their state when the scan reaches them. Confined to one thread.
 */
final class TransactionScan implements FoundObjects {
  private final WriteBuffer buffer;
  private final FoundObjects atSnapshot;

  /** The written objects that the scan has not reached, in scan order. */
  private final SortedSet<Bytes> written;

  private @Nullable FoundObject next;

  TransactionScan(
      WriteBuffer buffer,
      FoundObjects atSnapshot,
      NavigableSet<Bytes> written,
      boolean isDescending) {
    this.buffer = buffer;
    this.atSnapshot = atSnapshot;
    this.written = isDescending ? new TreeSet<>(Collections.reverseOrder()) : new TreeSet<Bytes>();
    this.written.addAll(written);
    this.next = atSnapshot.next().orElse(null);
  }

  @Override
  public Optional<FoundObject> next() {
    while (!written.isEmpty() && (next == null || compare(written.first(), next.id()) < 0)) {
      Bytes id = written.first();
      written.remove(id);
      Optional<FoundObject> own = buffer.found(id, Optional.empty());
      if (own.isPresent()) {
        return own;
      }
    }
    FoundObject found = next;
    if (found == null) {
      return Optional.empty();
    }
    written.remove(found.id());
    advance();
    // Includes writes since the scan began.
    return buffer.found(found.id(), Optional.of(found)).or(() -> Optional.of(found));
  }

  private void advance() {
    next = atSnapshot.next().orElse(null);
  }

  /** Compares ids in scan order. */
  private int compare(Bytes one, Bytes other) {
    var order = written.comparator();
    return order == null ? one.compareTo(other) : order.compare(one, other);
  }

  @Override
  public long heldBytes() {
    FoundObject ahead = next;
    return atSnapshot.heldBytes() + (ahead == null ? 0 : ahead.bytes());
  }

  @Override
  public void close() {
    atSnapshot.close();
  }
}
