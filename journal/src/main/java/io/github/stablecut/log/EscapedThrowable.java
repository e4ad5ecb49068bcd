package io.github.stablecut.log;

import io.github.stablecut.error.PrintableText;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A copy of an exception for the log. Its message is the class and the escaped message of the
 * original; it has the same stack trace, and copies of the causes and suppressed exceptions.
 */
final class EscapedThrowable extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private EscapedThrowable(Throwable original, @Nullable Throwable cause) {
    super(
        PrintableText.of(original.toString(), EscapingLogger.MAX_CHARS),
        cause,
        /* enableSuppression= */ true,
        /* writableStackTrace= */ true);
    setStackTrace(original.getStackTrace());
  }

  /** The exception itself if nothing in it needs escaping or cutting; otherwise a copy. */
  static Throwable unlessPrintable(Throwable thrown) {
    return isPrintable(thrown, identitySet()) ? thrown : copy(thrown, identitySet());
  }

  private static Set<Throwable> identitySet() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }

  private static boolean isPrintable(Throwable thrown, Set<Throwable> seen) {
    if (!seen.add(thrown)) {
      return true;
    }
    String text = thrown.toString();
    if (!PrintableText.of(text, EscapingLogger.MAX_CHARS).equals(text)) {
      return false;
    }
    for (Throwable suppressed : thrown.getSuppressed()) {
      if (!isPrintable(suppressed, seen)) {
        return false;
      }
    }
    Throwable cause = thrown.getCause();
    return cause == null || isPrintable(cause, seen);
  }

  /** A throwable seen before, such as in a cycle of causes, is copied without its causes. */
  private static EscapedThrowable copy(Throwable thrown, Set<Throwable> seen) {
    if (!seen.add(thrown)) {
      return new EscapedThrowable(thrown, null);
    }
    Throwable cause = thrown.getCause();
    EscapedThrowable copy = new EscapedThrowable(thrown, cause == null ? null : copy(cause, seen));
    for (Throwable suppressed : thrown.getSuppressed()) {
      copy.addSuppressed(copy(suppressed, seen));
    }
    return copy;
  }
}
