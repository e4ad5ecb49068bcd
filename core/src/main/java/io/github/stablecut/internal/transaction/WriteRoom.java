package io.github.stablecut.internal.transaction;

import io.github.stablecut.internal.hook.StoreHooks;
import io.github.stablecut.internal.materializer.Folding;
import io.github.stablecut.internal.thread.HeapRoom;
import io.github.stablecut.key.Update;
import java.util.Objects;

/**
 * What the updates of one call hold in memory from their execution until they are durable or have
 * failed. Their operations are weighed, which the caller has in memory anyway; the effects of many
 * callers that wait, for the journal or for each other, would fill the heap.
 */
final class WriteRoom {
  private WriteRoom() {}

  /**
   * Waits until there is room for some updates. Those that hooks see need none: a hook may write,
   * too, and would wait for who waits for it.
   */
  static HeapRoom.Held take(StoreHooks hooks, Update... updates) {
    long weight = 0;
    for (Update update : Objects.requireNonNull(updates, "updates")) {
      Objects.requireNonNull(update, "update");
      weight += Folding.weighOperation(update.key().type(), update.operation());
    }
    return weight < HeapRoom.FREE_BYTES || hooks.concern(updates)
        ? HeapRoom.NOTHING
        : HeapRoom.WRITES.take(weight);
  }
}
