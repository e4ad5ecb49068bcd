package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.StoreIoException;

/** Exceptions that report a fault of the program or the JVM rather than of a request. */
public final class NodeFaults {
  private NodeFaults() {}

  /** Returns the failure of a node. */
  public static StoreIoException ofNode(String node, Throwable cause) {
    return new StoreIoException(
        "node %s failed because of %s: see its log".formatted(node, what(cause)), cause);
  }

  /** Returns the failure of a partition's owner. */
  static StoreIoException ofPartition(int partition, Throwable cause) {
    return new StoreIoException(
        "the owner of partition %d failed because of %s: see its log"
            .formatted(partition, what(cause)),
        cause);
  }

  /** Returns the failure of a node whose actors have terminated by themselves. */
  public static StoreIoException ofActors(String node) {
    return new StoreIoException(
        "node %s can no longer communicate with the other nodes because a thread failed with an error, such as an OutOfMemoryError: see its log, remove the cause, and restart it"
            .formatted(node));
  }

  /** Replaces the failure of a write whose outcome is unknown: the write may have been made. */
  static OutcomeUnknownException unknownOutcome(StoreIoException failure) {
    return new OutcomeUnknownException(
        failure.getMessage()
            + "; the outcome of the commit is unknown: read its objects to see whether it took effect");
  }

  private static String what(Throwable cause) {
    return cause instanceof VirtualMachineError
        ? "an error of its JVM (" + cause + ")"
        : "an internal error";
  }
}
