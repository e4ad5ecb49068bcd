package io.github.stablecut.journal;

import io.github.stablecut.error.UsageException;

/** Thrown if a record is above the size limit of the journal. Nothing was written. */
public final class RecordTooLargeException extends UsageException {
  private static final long serialVersionUID = 1L;

  RecordTooLargeException(String message) {
    super(message);
  }
}
