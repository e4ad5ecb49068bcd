package io.github.stablecut.cluster.internal.wire;

/** Thrown for a malformed message on the cluster's port. The receiver drops and counts it. */
public final class BadMessageException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  public BadMessageException(String what) {
    super("malformed message between nodes: " + what);
  }

  public BadMessageException(String what, Throwable cause) {
    super("malformed message between nodes: " + what, cause);
  }
}
