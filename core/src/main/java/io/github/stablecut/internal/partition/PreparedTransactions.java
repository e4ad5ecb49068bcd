package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.record.TransactionId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The prepared transactions of a partition whose outcome is not in its journal. Thread-safe. */
final class PreparedTransactions {
  /** A prepared transaction. */
  static final class Entry {
    final CommitRequest part;
    volatile Message.Driver driver;

    /** The prepare time; 0 during the checks. */
    volatile long time;

    /** The position of its record; 0 until the record is durable. */
    volatile long position;

    /** Whether the commit record was handed to the journal. */
    volatile boolean isCommitted;

    /** When the coordinator was last asked. */
    volatile long lastAskedNanos;

    Entry(CommitRequest part, Message.Driver driver, long lastAskedNanos) {
      this.part = part;
      this.driver = driver;
      this.lastAskedNanos = lastAskedNanos;
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

  /** The transactions whose outcome is unknown here. */
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

  /** The greatest vector at or below all their snapshots and another vector. */
  VectorClock minSnapshot(VectorClock newest) {
    VectorClock min = newest;
    for (Entry entry : entries.values()) {
      min = min.meet(entry.part.snapshot());
    }
    return min;
  }

  /** The position of the oldest record that is still needed; {@link Long#MAX_VALUE} if none is. */
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
