package io.github.stablecut.cluster.command;

import io.github.stablecut.cluster.SettingsException;
import io.github.stablecut.error.InvalidTokenException;
import io.github.stablecut.error.NotAStoreException;
import io.github.stablecut.error.StoreInUseException;

/** How a command ends, for the shell: the same of all commands. */
enum Exit {
  /** All was done, or all is well. */
  DONE(0),

  /** Something could not be done, is damaged, is not there, or is not ready. */
  FAILED(1),

  /**
   * Nothing was tried: the arguments or settings are wrong, or name no store that can be opened.
   */
  WRONG_CALL(2);

  private final int code;

  Exit(int code) {
    this.code = code;
  }

  /** The exit code. */
  int code() {
    return code;
  }

  /** How a command ends that has thrown something. */
  static Exit of(Throwable failure) {
    return failure instanceof SettingsException
            || failure instanceof NotAStoreException
            || failure instanceof InvalidTokenException
            || failure instanceof StoreInUseException
        ? WRONG_CALL
        : FAILED;
  }
}
