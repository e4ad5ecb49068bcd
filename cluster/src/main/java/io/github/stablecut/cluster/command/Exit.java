package io.github.stablecut.cluster.command;

import io.github.stablecut.cluster.SettingsException;
import io.github.stablecut.error.InvalidTokenException;
import io.github.stablecut.error.NotAStoreException;
import io.github.stablecut.error.StoreInUseException;

/** The exit codes, which are the same for all commands. */
public enum Exit {
  /** The command succeeded, or all is well. */
  DONE(0),

  /** The operation failed, or something is damaged, missing or not ready. */
  FAILED(1),

  /**
   * The call is invalid and nothing was attempted: the arguments or settings are invalid, or name
   * no store that can be opened.
   */
  WRONG_CALL(2),

  /** The cluster serves, but the next failure may make some of it unavailable. */
  DEGRADED(4);

  private final int code;

  Exit(int code) {
    this.code = code;
  }

  /** The exit code. */
  public int code() {
    return code;
  }

  /** The exit of a command that has thrown an exception. */
  static Exit of(Throwable failure) {
    return failure instanceof SettingsException
            || failure instanceof NotAStoreException
            || failure instanceof InvalidTokenException
            || failure instanceof StoreInUseException
        ? WRONG_CALL
        : FAILED;
  }
}
