package io.github.stablecut.internal.materializer;

import io.github.stablecut.internal.record.EffectTable;
import java.lang.ref.SoftReference;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A cache of the journal's recently read records with many effects. A reader of one effect, such as
 * a scan of a large transaction's writes, soon reads the others. It holds a few MiB, through soft
 * references. Thread-safe.
 */
final class RecentRecords {
  /** The minimum number of effects of a cached record. */
  private static final int MANY = 16;

  private static final long MAX_BYTES = Math.min(16L << 20, Runtime.getRuntime().maxMemory() >> 5);

  private record CachedEffects(long bytes, SoftReference<EffectTable> effects) {}

  private final Map<Long, CachedEffects> records = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  synchronized Optional<EffectTable> get(long position) {
    return Optional.ofNullable(records.get(position)).map(kept -> kept.effects.get());
  }

  /** Caches a record and evicts the least recently used ones. */
  synchronized void offer(long position, EffectTable effects) {
    long size = effects.memory();
    if (effects.size() < MANY || size > MAX_BYTES) {
      return;
    }
    CachedEffects replaced =
        records.put(position, new CachedEffects(size, new SoftReference<>(effects)));
    bytes += size - (replaced == null ? 0 : replaced.bytes);
    Iterator<CachedEffects> oldest = records.values().iterator();
    while (bytes > MAX_BYTES) {
      bytes -= oldest.next().bytes;
      oldest.remove();
    }
  }
}
