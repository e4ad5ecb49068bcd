package io.github.stablecut.error;

import org.jspecify.annotations.Nullable;

/**
 * The base of every exception that this project throws on purpose. Its message says what happened,
 * with the facts, and what to do; its group (a direct subclass) says who can mend it.
 */
public abstract sealed class StablecutException extends RuntimeException
    permits UsageException,
        RetryException,
        OutcomeUnknownException,
        ReopenException,
        DamageException {
  private static final long serialVersionUID = 1L;

  StablecutException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
