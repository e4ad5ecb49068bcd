package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.internal.record.TransactionId;
import java.util.HashMap;
import java.util.Map;

/**
 * The distributed transactions that this participant has committed, with their commit times, for as
 * long as repeated messages about them may arrive. There is one per transaction within the
 * retention, so each takes 24 to 48 bytes and no object. Confined to one thread at a time.
 */
public final class FinishedTransactions {
  /** A coordinator and its epoch. */
  private record Origin(int coordinator, long epoch) {}

  private final Map<Origin, Sequences> origins = new HashMap<>();

  /** Adds a committed transaction. */
  void put(TransactionId id, long time) {
    origins
        .computeIfAbsent(new Origin(id.coordinator(), id.epoch()), key -> new Sequences())
        .put(id.sequence(), time);
  }

  /** Whether a transaction is committed here and not forgotten. */
  public boolean contains(TransactionId id) {
    Sequences sequences = origins.get(new Origin(id.coordinator(), id.epoch()));
    return sequences != null && sequences.contains(id.sequence());
  }

  /** Forgets the transactions that committed at or before a time. */
  public void forgetThrough(long time) {
    origins.values().forEach(sequences -> sequences.forgetThrough(time));
    origins.values().removeIf(sequences -> sequences.size == 0);
  }

  /** The number of transactions. */
  public int size() {
    return origins.values().stream().mapToInt(sequences -> sequences.size).sum();
  }

  /** A hash table with open addressing: sequence numbers, from 1, and times in parallel arrays. */
  private static final class Sequences {
    private static final int MIN_CAPACITY = 64;

    private long[] keys = new long[MIN_CAPACITY];
    private long[] times = new long[MIN_CAPACITY];
    private int size;

    boolean contains(long sequence) {
      return keys[slotOf(sequence)] == sequence;
    }

    void put(long sequence, long time) {
      if (3 * (size + 1) > 2 * keys.length) {
        rebuild(2 * keys.length, Long.MIN_VALUE);
      }
      insert(sequence, time);
    }

    private void insert(long sequence, long time) {
      int slot = slotOf(sequence);
      if (keys[slot] == 0) {
        keys[slot] = sequence;
        size++;
      }
      times[slot] = time;
    }

    /** The slot of a sequence number, or the free slot for it. */
    private int slotOf(long sequence) {
      int mask = keys.length - 1;
      // Sequence numbers are dense, so their low bits spread them well enough.
      int slot = (int) (sequence & mask);
      while (keys[slot] != 0 && keys[slot] != sequence) {
        slot = slot + 1 & mask;
      }
      return slot;
    }

    void forgetThrough(long time) {
      int kept = 0;
      for (int slot = 0; slot < keys.length; slot++) {
        if (keys[slot] != 0 && times[slot] > time) {
          kept++;
        }
      }
      if (kept < size) {
        int capacity = MIN_CAPACITY;
        while (3 * kept > capacity) {
          capacity *= 2;
        }
        rebuild(capacity, time);
      }
    }

    /** Rehashes the entries after a time into a table of another capacity, a power of two. */
    private void rebuild(int capacity, long after) {
      long[] oldKeys = keys;
      long[] oldTimes = times;
      keys = new long[capacity];
      times = new long[capacity];
      size = 0;
      for (int slot = 0; slot < oldKeys.length; slot++) {
        if (oldKeys[slot] != 0 && oldTimes[slot] > after) {
          insert(oldKeys[slot], oldTimes[slot]);
        }
      }
    }
  }
}
