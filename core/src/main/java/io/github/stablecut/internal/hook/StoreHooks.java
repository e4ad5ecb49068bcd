package io.github.stablecut.internal.hook;

import io.github.stablecut.Hooks;
import io.github.stablecut.Snapshot;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import java.util.List;

/** The hooks of a store. Without hooks it costs nothing and has no threads. Thread-safe. */
public final class StoreHooks implements AutoCloseable {
  private final PreCommitRunner before;
  private final PostCommitRunner after;

  /** Creates the runners of these hooks. */
  public StoreHooks(Hooks hooks) {
    before = new PreCommitRunner(hooks);
    after = new PostCommitRunner(hooks);
  }

  /**
   * Returns the updates as rewritten by the pre-commit hooks.
   *
   * @param snapshot the snapshot that the hooks may read
   * @throws io.github.stablecut.error.HookFailedException if a hook refuses an update
   * @throws io.github.stablecut.error.HookTimeoutException if they do not end in time
   */
  public Update[] beforeCommit(Update[] updates, Snapshot snapshot) {
    return before.run(updates, snapshot);
  }

  /** Whether a pre-commit or post-commit hook is registered for one of these updates. */
  public boolean concern(Update... updates) {
    // Avoids a stream because each update calls this.
    for (Update update : updates) {
      if (after.concerns(update.key())) {
        return true;
      }
    }
    return before.concerns(updates);
  }

  /** Whether a post-commit hook is registered for an object's updates. */
  public boolean wants(Key<?> key) {
    return after.concerns(key);
  }

  /**
   * Notifies post-commit hooks of a durable transaction. Neither waits nor throws.
   *
   * @param updates the updates that hooks are registered for, in order
   */
  public void afterCommit(Snapshot snapshot, List<Update> updates) {
    after.tell(snapshot, updates);
  }

  /** The numbers of failures and timeouts. */
  public StoreStatus.Hooks status() {
    return new StoreStatus.Hooks(
        before.failures(), before.timeouts(), after.failures(), after.timeouts(), after.dropped());
  }

  /** Waits for queued post-commit hooks until their timeout, and ends the threads. */
  @Override
  public void close() {
    after.close();
    before.close();
  }
}
