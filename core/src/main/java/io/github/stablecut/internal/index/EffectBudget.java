package io.github.stablecut.internal.index;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the newest durable effects in memory, up to a number of bytes, and evicts older ones, first
 * in, first out: the journal has them. Confined to the thread that flushes groups.
 */
public final class EffectBudget {
  private static final int FIRST_ROOM = 1024;

  private final long maxBytes;

  /** A circular buffer of the kept effects. */
  private @Nullable IndexedEffect[] kept = new IndexedEffect[FIRST_ROOM];

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
      throw new IllegalStateException("%,d bytes are taken by no effect".formatted(bytes));
    }
    oldest.evict();
    kept[first] = null;
    bytes -= oldest.keptBytes();
    first = (first + 1) % kept.length;
    count--;
  }

  /** Doubles the buffer, with the oldest effect first. */
  private void grow() {
    int room = kept.length;
    @Nullable IndexedEffect[] moreKept = Arrays.copyOf(kept, 2 * room);
    System.arraycopy(kept, first, moreKept, 0, room - first);
    System.arraycopy(kept, 0, moreKept, room - first, first);
    kept = moreKept;
    first = 0;
  }
}
