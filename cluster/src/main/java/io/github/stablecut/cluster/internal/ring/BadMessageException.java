package io.github.stablecut.cluster.internal.ring;

/** A message on the cluster's port that no node sends. It is refused and counted. */
final class BadMessageException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  BadMessageException(String what) {
    super("a message of the cluster is malformed: " + what);
  }

  BadMessageException(String what, Throwable cause) {
    super("a message of the cluster is malformed: " + what, cause);
  }
}
