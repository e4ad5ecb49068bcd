package io.github.stablecut.journal;

import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.ReopenException;
import java.io.IOException;

/**
 * Thrown if a write or a sync failed, so the contents of the disk are unknown. Nothing more becomes
 * durable; reads still work. Remove the cause and reopen the store.
 */
public final class JournalFailedException extends ReopenException {
  /** The explanation of {@link #isFault} for messages. */
  static final String FAULT =
      "a page of a file that is mapped into memory could not be read or written: the disk is full"
          + " or has failed, or the file was truncated";

  private static final long serialVersionUID = 1L;

  private final String text;
  private final boolean isUnwritten;

  private JournalFailedException(String message, Throwable cause, boolean isUnwritten) {
    super(message, cause);
    this.text = message;
    this.isUnwritten = isUnwritten;
  }

  static JournalFailedException because(String journal, String consequence, Throwable cause) {
    if (cause instanceof LogDeposedException) {
      return new JournalFailedException(
          "%s %s: %s; what was acknowledged is safe"
              .formatted(journal, consequence, cause.getMessage()),
          cause,
          false);
    }
    return new JournalFailedException(
        "%s %s: %s; remove the cause and reopen, what was acknowledged is safe"
            .formatted(journal, consequence, reason(cause)),
        cause,
        false);
  }

  private static String reason(Throwable cause) {
    if (cause instanceof IOException io) {
      return IoReason.of(io);
    }
    return isFault(cause) ? FAULT : cause.toString();
  }

  /** Whether the JVM reports a fault (SIGBUS) in a memory-mapped file with this throwable. */
  static boolean isFault(Throwable cause) {
    String message = cause.getMessage();
    return cause instanceof InternalError
        && message != null
        && message.contains("unsafe memory access");
  }

  /** The same failure for a later caller, whose record was not written. */
  JournalFailedException again() {
    return new JournalFailedException(text, this, true);
  }

  /**
   * Whether the journal had failed before the caller's record was passed to it. Then the record is
   * not in the journal; otherwise that is unknown.
   */
  public boolean isUnwritten() {
    return isUnwritten;
  }
}
