package io.github.stablecut.error;

import org.jspecify.annotations.Nullable;

/**
 * The base of all exceptions that this project throws deliberately. The message says what happened,
 * with the facts, and what to do; the group (a direct subclass) says how the caller can react. The
 * message is one line, with foreign input escaped ({@link PrintableText}).
 */
public abstract sealed class StablecutException extends RuntimeException
    permits UsageException,
        RetryException,
        OutcomeUnknownException,
        ReopenException,
        DamageException {
  private static final long serialVersionUID = 1L;
  private static final int MAX_CHARS = 10_000;

  StablecutException(String message, @Nullable Throwable cause) {
    super(PrintableText.of(message, MAX_CHARS), cause);
  }
}
