package io.github.stablecut.internal.transaction;

import io.github.stablecut.internal.hook.StoreHooks;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.thread.HeapPermits;
import io.github.stablecut.key.Update;
import java.util.Objects;

/**
 * Limits the memory that the updates of concurrent calls hold from their execution until they are
 * durable or have failed. Otherwise the effects of many waiting callers would fill the heap. The
 * operations themselves are not counted because callers allocate them before the call.
 */
final class WriteMemoryLimit {
  /** Each effect is held twice: encoded by its execution and in the partition's record. */
  private static final int COPIES = 2;

  private WriteMemoryLimit() {}

  /**
   * Acquires permits for updates; waits if necessary. Updates that concern hooks need none: a hook
   * may write as well and would wait for a caller that waits for it.
   */
  static HeapPermits.Permits acquire(StoreHooks hooks, Update... updates) {
    long weight = 0;
    for (Update update : Objects.requireNonNull(updates, "updates")) {
      Objects.requireNonNull(update, "update");
      weight += COPIES * CallTypes.weighOperation(update.key().type(), update.operation());
    }
    return weight < HeapPermits.FREE_BYTES || hooks.concern(updates)
        ? HeapPermits.NOTHING
        : HeapPermits.WRITES.acquire(weight);
  }
}
