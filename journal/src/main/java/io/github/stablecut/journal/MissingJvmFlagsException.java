package io.github.stablecut.journal;

import io.github.stablecut.error.UsageException;

/**
 * Thrown if the system property {@value SegmentLayout#PROPERTY} selects Chronicle Queue, and the
 * JVM was started without the flags that it needs. Nothing was opened.
 */
public final class MissingJvmFlagsException extends UsageException {
  private static final long serialVersionUID = 1L;

  MissingJvmFlagsException(String message) {
    super(message);
  }
}
