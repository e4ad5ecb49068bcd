package io.github.stablecut.spring;

import io.github.stablecut.error.StablecutException;

/** The application's store could not be opened or connected to; the cause has the reason. */
final class StoreNotOpened extends IllegalStateException {
  private static final long serialVersionUID = 1;

  StoreNotOpened(StablecutException cause) {
    super(cause.getMessage(), cause);
  }

  StoreNotOpened(String message, IllegalArgumentException cause) {
    super(message, cause);
  }
}
