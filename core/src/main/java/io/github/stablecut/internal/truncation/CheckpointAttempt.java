package io.github.stablecut.internal.truncation;

import io.github.stablecut.checkpoint.CheckpointDroppedException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.UnexpectedFailureException;
import io.github.stablecut.journal.LogDeposedException;
import io.github.stablecut.log.Log;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;

/** An attempt to make a checkpoint: says in the log why it has failed. Stateless. */
final class CheckpointAttempt {
  private static final Logger LOG = Log.of(Maintenance.class);

  private CheckpointAttempt() {}

  /**
   * Tries it.
   *
   * @param isAbandoned whether it is wanted no more, so that a failure needs no words
   * @return why it has failed; empty if it has not
   */
  static Optional<StablecutException> failure(Runnable work, BooleanSupplier isAbandoned) {
    try {
      work.run();
      return Optional.empty();
    } catch (CheckpointDroppedException e) {
      if (!isAbandoned.getAsBoolean()) {
        LOG.warn("a checkpoint failed and is tried again after a pause: {}", e.getMessage());
      }
      return Optional.of(e);
    } catch (Throwable e) {
      if (isDeposed(e)) {
        LOG.info("a checkpoint was dropped, as another replica leads: {}", e.getMessage());
      } else {
        LOG.error("checkpointing failed; the store goes on with the journal alone", e);
      }
      return Optional.of(
          e instanceof StablecutException known
              ? known
              : UnexpectedFailureException.of("a checkpoint failed", e));
    }
  }

  private static boolean isDeposed(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof LogDeposedException) {
        return true;
      }
    }
    return false;
  }
}
