package io.github.stablecut.internal.partition;

/**
 * A part can't be committed or prepared yet: it writes an object that a prepared transaction has
 * certified ({@link HeldBack}). Never leaves the package.
 */
final class HeldBackException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  HeldBackException() {
    super("held back by a certified transaction", null, false, false);
  }
}
