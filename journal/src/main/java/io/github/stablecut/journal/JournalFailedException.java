package io.github.stablecut.journal;

import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.ReopenException;
import java.io.IOException;

/**
 * A write or a sync failed, so nobody knows what is on the disk. Nothing more becomes durable;
 * reading goes on. Reopen after the cause is removed.
 */
public final class JournalFailedException extends ReopenException {
  /** What {@link #isFault} means. */
  static final String FAULT =
      "a page of a file that is mapped into memory could not be read or written: the disk is full"
          + " or has failed, or somebody has cut the file";

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

  /** Whether this is how the JVM reports a fault (SIGBUS) in memory that a file is mapped to. */
  static boolean isFault(Throwable cause) {
    String message = cause.getMessage();
    return cause instanceof InternalError
        && message != null
        && message.contains("unsafe memory access");
  }

  /** The same failure, for a caller who comes later: its record is not written. */
  JournalFailedException again() {
    return new JournalFailedException(text, this, true);
  }

  /**
   * Whether the journal had failed before it was asked to write this: then it is not in the
   * journal, and otherwise nobody knows.
   */
  public boolean isUnwritten() {
    return isUnwritten;
  }
}
