package io.github.stablecut.internal.truncation;

import io.github.stablecut.checkpoint.CheckpointDroppedException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.UnexpectedFailureException;
import io.github.stablecut.journal.LogDeposedException;
import io.github.stablecut.log.Log;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;

/** An attempt to write a checkpoint, which logs why it failed. Stateless. */
final class CheckpointAttempt {
  private static final Logger LOG = Log.of(Maintenance.class);

  private CheckpointAttempt() {}

  /**
   * Runs the attempt.
   *
   * @param isAbandoned whether it was cancelled, so that a failure is not logged
   * @return why it failed; empty if it succeeded
   */
  static Optional<StablecutException> failure(Runnable work, BooleanSupplier isAbandoned) {
    try {
      work.run();
      return Optional.empty();
    } catch (CheckpointDroppedException e) {
      if (!isAbandoned.getAsBoolean()) {
        LOG.warn("a checkpoint failed, and is retried after a pause: {}", e.getMessage());
      }
      return Optional.of(e);
    } catch (Throwable e) {
      if (isDeposed(e)) {
        LOG.info("a checkpoint was dropped, because another replica leads: {}", e.getMessage());
      } else {
        LOG.error("a checkpoint failed; the store continues with the journal alone", e);
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
