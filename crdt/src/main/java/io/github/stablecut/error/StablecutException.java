package io.github.stablecut.error;

import org.jspecify.annotations.Nullable;

/**
 * The base of every exception that this project throws on purpose. Its message says what happened,
 * with the facts, and what to do; its group (a direct subclass) says who can mend it. The message
 * is one line, in which characters of foreign input are escaped ({@link PrintableText}).
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
