package io.github.stablecut.internal.index;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the memory of durable effects: keeps the newest up to a number of bytes and evicts older
 * ones in first-in, first-out order. The journal retains evicted effects. Confined to the thread
 * that flushes groups.
 */
public final class EffectBudget {
  private static final int INITIAL_CAPACITY = 1024;

  private final long maxBytes;

  /** A circular buffer of the kept effects. */
  private @Nullable IndexedEffect[] kept = new IndexedEffect[INITIAL_CAPACITY];

  /** The index of the oldest effect. */
  private int first;

  private int count;
  private long bytes;

  /**
   * @param maxBytes at least 0
   */
  public EffectBudget(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Admits an effect that is now in the journal. */
  public void admit(IndexedEffect effect) {
    add(effect);
    bytes += effect.keptBytes();
    while (bytes > maxBytes) {
      evictOldest();
    }
  }

  private void add(IndexedEffect effect) {
    if (count == kept.length) {
      grow();
    }
    kept[(first + count) % kept.length] = effect;
    count++;
  }

  private void evictOldest() {
    IndexedEffect oldest = kept[first];
    if (oldest == null) {
      throw new IllegalStateException("%,d bytes are counted without an effect".formatted(bytes));
    }
    oldest.evict();
    kept[first] = null;
    bytes -= oldest.keptBytes();
    first = (first + 1) % kept.length;
    count--;
  }

  /** Doubles the buffer, with the oldest effect first. */
  private void grow() {
    int capacity = kept.length;
    @Nullable IndexedEffect[] grown = Arrays.copyOf(kept, 2 * capacity);
    System.arraycopy(kept, first, grown, 0, capacity - first);
    System.arraycopy(kept, 0, grown, capacity - first, first);
    kept = grown;
    first = 0;
  }
}
