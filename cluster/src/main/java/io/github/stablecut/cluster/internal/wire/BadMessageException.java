package io.github.stablecut.cluster.internal.wire;

/** A message on the cluster's port that no node sends. It is refused and counted. */
public final class BadMessageException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  public BadMessageException(String what) {
    super("a message of the cluster is malformed: " + what);
  }

  public BadMessageException(String what, Throwable cause) {
    super("a message of the cluster is malformed: " + what, cause);
  }
}
