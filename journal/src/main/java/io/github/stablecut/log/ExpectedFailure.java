package io.github.stablecut.log;

import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.StablecutException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Tells failures of the environment, such as a full disk or a lost connection, from faults of the
 * program. The former have messages for operators, who can do nothing with a stack trace.
 */
final class ExpectedFailure {
  private ExpectedFailure() {}

  /** The message of a failure of the environment; empty for a fault of the program. */
  static Optional<String> words(Throwable thrown) {
    Throwable cause = thrown.getCause();
    boolean isWrapper =
        thrown instanceof UncheckedIOException
            || thrown instanceof CompletionException
            || thrown instanceof ExecutionException;
    if (isWrapper && cause != null) {
      return words(cause);
    }
    if (thrown instanceof IOException io) {
      return Optional.of(IoReason.of(io));
    }
    if (thrown instanceof TimeoutException) {
      return Optional.of("there was no answer in time");
    }
    return thrown instanceof StablecutException
        ? Optional.of(String.valueOf(thrown.getMessage())).filter(words -> isExpected(cause))
        : Optional.empty();
  }

  /** Whether the cause of an exception of ours is no fault of the program. */
  private static boolean isExpected(@Nullable Throwable cause) {
    return cause == null || words(cause).isPresent();
  }
}
