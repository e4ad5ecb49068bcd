package io.github.stablecut.internal.transaction;

import io.github.stablecut.internal.hook.StoreHooks;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.thread.HeapPermits;
import io.github.stablecut.key.Update;
import java.util.Objects;

/**
 * Limits the memory that the updates of concurrent calls hold from their execution until they are
 * durable or have failed: the effects of many callers that wait, for the journal or for each other,
 * would fill the heap. The operations themselves are not counted, as callers allocate them before
 * the call.
 */
final class WriteMemoryLimit {
  /** Each effect is held twice: encoded by its execution, and in the record of its partition. */
  private static final int COPIES = 2;

  private WriteMemoryLimit() {}

  /**
   * Waits until there is room for some updates. Those that hooks see need none: a hook may write,
   * too, and would wait for who waits for it.
   */
  static HeapPermits.Held take(StoreHooks hooks, Update... updates) {
    long weight = 0;
    for (Update update : Objects.requireNonNull(updates, "updates")) {
      Objects.requireNonNull(update, "update");
      weight += COPIES * CallTypes.weighOperation(update.key().type(), update.operation());
    }
    return weight < HeapPermits.FREE_BYTES || hooks.concern(updates)
        ? HeapPermits.NOTHING
        : HeapPermits.WRITES.take(weight);
  }
}
