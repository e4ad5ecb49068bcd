package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.record.TransactionId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The prepared transactions of a partition whose outcome is not in its journal. Thread-safe. */
public final class PreparedTransactions {
  /** A prepared transaction. */
  public static final class Entry {
    public final CommitRequest part;
    public volatile Message.Driver driver;

    /** The prepare time; 0 during the checks. */
    public volatile long time;

    /** The position of its record; 0 until the record is durable. */
    public volatile long position;

    /** Whether the commit record was handed to the journal. */
    public volatile boolean isCommitted;

    /** The time of the last query to the coordinator. */
    public volatile long lastAskedNanos;

    public Entry(CommitRequest part, Message.Driver driver, long lastAskedNanos) {
      this.part = part;
      this.driver = driver;
      this.lastAskedNanos = lastAskedNanos;
    }
  }

  private final Map<TransactionId, Entry> entries = new ConcurrentHashMap<>();

  public @Nullable Entry get(TransactionId id) {
    return entries.get(id);
  }

  public void put(TransactionId id, Entry entry) {
    entries.put(id, entry);
  }

  public void remove(TransactionId id) {
    entries.remove(id);
  }

  public Collection<Entry> all() {
    return entries.values();
  }

  /** The transactions whose outcome is unknown here. */
  public List<TransactionId> inDoubt() {
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
  public VectorClock minSnapshot(VectorClock newest) {
    VectorClock min = newest;
    for (Entry entry : entries.values()) {
      min = min.meet(entry.part.snapshot());
    }
    return min;
  }

  /** The position of the oldest record that is still needed; {@link Long#MAX_VALUE} if none is. */
  public long oldestNeeded() {
    long oldest = Long.MAX_VALUE;
    for (Entry entry : entries.values()) {
      if (entry.position != 0) {
        oldest = Math.min(oldest, entry.position);
      }
    }
    return oldest;
  }
}
