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
 * Folds long lists of effects before the object is read (the report's eager materialization,
 * section 5). Otherwise the first reader of a counter that is only incremented would fold for a
 * long time. As after a read, the resulting version is cached; nothing depends on it. Thread-safe.
 */
public final class BackgroundFolding {
  private static final Logger LOG = Log.of(BackgroundFolding.class);

  private final Materializer materializer;
  private final Supplier<VectorClock> stable;
  private final Executor executor;
  private final Set<Bytes> waiting = ConcurrentHashMap.newKeySet();

  /**
   * @param stable the newest snapshot
   * @param executor an executor of the engine that neither blocks nor runs users' code
   */
  public BackgroundFolding(
      Materializer materializer, Supplier<VectorClock> stable, Executor executor) {
    this.materializer = materializer;
    this.stable = stable;
    this.executor = executor;
  }

  /**
   * Requests that objects be folded soon; a failed request leaves that to their readers. Does not
   * throw.
   */
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
      materializer.versionAt(id, stable.get());
    } catch (RuntimeException e) {
      // The partition was closed meanwhile; any other failure recurs for the object's readers.
      LOG.debug("object {} was not folded", id, e);
    }
  }
}
