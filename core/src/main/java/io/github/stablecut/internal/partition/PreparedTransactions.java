package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.record.TransactionId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The transactions that a partition has prepared and whose outcome its journal does not have.
 * Thread-safe.
 */
final class PreparedTransactions {
  /** One of them. */
  static final class Entry {
    final CommitRequest part;
    volatile Message.Driver driver;

    /** The prepare time; 0 while it is being checked. */
    volatile long time;

    /** Where its record is; 0 while it is on its way. */
    volatile long position;

    /** Whether the commit is on its way to the journal. */
    volatile boolean isCommitted;

    /** When the coordinator was asked last. */
    volatile long lastAsked;

    Entry(CommitRequest part, Message.Driver driver, long lastAsked) {
      this.part = part;
      this.driver = driver;
      this.lastAsked = lastAsked;
    }
  }

  private final Map<TransactionId, Entry> entries = new ConcurrentHashMap<>();

  @Nullable Entry get(TransactionId id) {
    return entries.get(id);
  }

  void put(TransactionId id, Entry entry) {
    var unused = entries.put(id, entry);
  }

  void remove(TransactionId id) {
    var unused = entries.remove(id);
  }

  Collection<Entry> all() {
    return entries.values();
  }

  /** Those whose outcome is not known here. */
  List<TransactionId> inDoubt() {
    List<TransactionId> found = new ArrayList<>();
    entries.forEach(
        (id, entry) -> {
          if (!entry.isCommitted) {
            found.add(id);
          }
        });
    return found;
  }

  /** The greatest vector at or below the snapshots of all of them and another. */
  VectorClock minSnapshot(VectorClock newest) {
    VectorClock min = newest;
    for (Entry entry : entries.values()) {
      min = min.meet(entry.part.snapshot());
    }
    return min;
  }

  /** The position of the oldest record that is still needed; the greatest number if none is. */
  long oldestNeeded() {
    long oldest = Long.MAX_VALUE;
    for (Entry entry : entries.values()) {
      if (entry.position != 0) {
        oldest = Math.min(oldest, entry.position);
      }
    }
    return oldest;
  }
}
