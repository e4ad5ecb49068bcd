package io.github.stablecut.examples.gitlog;

import io.github.stablecut.error.UsageException;

/** Thrown if a log, a repository or a commit is not what the call needs. */
final class GitLogException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  GitLogException(String message) {
    super(message);
  }

  /**
   * @param message what happened, with the facts, and what to do
   * @param cause the cause
   */
  GitLogException(String message, Throwable cause) {
    super(message, cause);
  }
}
