package io.github.stablecut.internal.materializer;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.log.Log;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.slf4j.Logger;

/**
 * Folds long lists of effects before somebody reads the object (the report's eager materialisation,
 * section 5): a counter that is only incremented would else make its first reader fold for long.
 * Only a version is kept, as after a read; nothing depends on it. Thread-safe.
 */
public final class BackgroundFolding {
  private static final Logger LOG = Log.of(BackgroundFolding.class);

  private final Materializer materializer;
  private final Supplier<VectorClock> stable;
  private final Executor executor;
  private final Set<Bytes> waiting = ConcurrentHashMap.newKeySet();

  /**
   * @param stable the newest snapshot
   * @param executor the engine's own: it neither blocks nor runs users' code
   */
  public BackgroundFolding(
      Materializer materializer, Supplier<VectorClock> stable, Executor executor) {
    this.materializer = materializer;
    this.stable = stable;
    this.executor = executor;
  }

  /** Folds some objects soon, or leaves that to their readers. Throws nothing. */
  public void request(List<Bytes> ids) {
    for (Bytes id : ids) {
      try {
        if (waiting.add(id)) {
          executor.execute(() -> fold(id));
        }
      } catch (RuntimeException | Error e) {
        waiting.remove(id);
      }
    }
  }

  private void fold(Bytes id) {
    waiting.remove(id);
    try {
      var unused = materializer.versionAt(id, stable.get());
    } catch (RuntimeException e) {
      // The partition was closed meanwhile; whatever else it is, who reads the object is told it.
      LOG.debug("object {} was not folded", id, e);
    }
  }
}
