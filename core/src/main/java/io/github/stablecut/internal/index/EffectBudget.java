package io.github.stablecut.internal.index;

import java.util.ArrayDeque;

/**
 * Keeps the newest durable effects in memory, up to a number of bytes; older ones are left to the
 * journal, first in, first out. Confined to the thread that commits groups.
 */
public final class EffectBudget {
  /** What an effect takes beside its encoded bytes, roughly: objects' headers and references. */
  private static final int OVERHEAD_BYTES = 64;

  private record Kept(IndexedEffect effect, int bytes) {}

  private final long maxBytes;
  private final ArrayDeque<Kept> kept = new ArrayDeque<>();
  private long bytes;

  /**
   * @param maxBytes at least 0
   */
  public EffectBudget(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Takes account of an effect that the journal holds now. */
  public void admit(IndexedEffect effect, int encodedBytes) {
    int cost = encodedBytes + OVERHEAD_BYTES;
    kept.addLast(new Kept(effect, cost));
    bytes += cost;
    while (bytes > maxBytes) {
      Kept oldest = kept.removeFirst();
      oldest.effect.evict();
      bytes -= oldest.bytes;
    }
  }
}
