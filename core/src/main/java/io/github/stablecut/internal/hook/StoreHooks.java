package io.github.stablecut.internal.hook;

import io.github.stablecut.Hooks;
import io.github.stablecut.Snapshot;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import java.util.List;

/** The hooks of one store. Without any it costs nothing and has no thread. Thread-safe. */
public final class StoreHooks implements AutoCloseable {
  private final PreCommitRunner before;
  private final PostCommitRunner after;

  /** Runs these hooks. */
  public StoreHooks(Hooks hooks) {
    before = new PreCommitRunner(hooks);
    after = new PostCommitRunner(hooks);
  }

  /**
   * What the pre-commit hooks make of updates.
   *
   * @param snapshot what the hooks may read
   * @throws io.github.stablecut.error.HookFailedException if one refuses
   * @throws io.github.stablecut.error.HookTimeoutException if they take too long
   */
  public Update[] beforeCommit(Update[] updates, Snapshot snapshot) {
    return before.run(updates, snapshot);
  }

  /** Whether a hook is asked before some updates are committed, or wants to know of them after. */
  public boolean concern(Update... updates) {
    // Without a stream, as each update comes here.
    for (Update update : updates) {
      if (after.concerns(update.key())) {
        return true;
      }
    }
    return before.concerns(updates);
  }

  /** Whether a post-commit hook wants to know of updates of an object. */
  public boolean wants(Key<?> key) {
    return after.concerns(key);
  }

  /**
   * Tells post-commit hooks of a durable transaction. Waits for nothing and throws nothing.
   *
   * @param updates those that hooks want to know of, in order
   */
  public void afterCommit(Snapshot snapshot, List<Update> updates) {
    after.tell(snapshot, updates);
  }

  /** Figures of what went wrong. */
  public StoreStatus.Hooks status() {
    return new StoreStatus.Hooks(
        before.failures(), before.timeouts(), after.failures(), after.timeouts(), after.dropped());
  }

  /** Gives post-commit hooks that were to be told their time, and ends the threads. */
  @Override
  public void close() {
    after.close();
    before.close();
  }
}
