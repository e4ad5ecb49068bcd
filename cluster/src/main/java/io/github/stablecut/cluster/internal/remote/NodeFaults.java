package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.error.StoreIoException;

/** What is said when this program or its memory has failed, and not what it was asked. */
public final class NodeFaults {
  private NodeFaults() {}

  /** Something on a node has failed. */
  public static StoreIoException ofNode(String node, Throwable cause) {
    return new StoreIoException(
        "node %s has failed because of %s: its log says where".formatted(node, what(cause)), cause);
  }

  /** What an owner has failed with. */
  static StoreIoException ofPartition(int partition, Throwable cause) {
    return new StoreIoException(
        "the owner of partition %d has failed because of %s: its log says where"
            .formatted(partition, what(cause)),
        cause);
  }

  /** The actors of a node have ended by themselves. */
  public static StoreIoException ofActors(String node) {
    return new StoreIoException(
        "node %s can't talk to the other nodes any more, because of an error on one of its threads, such as too little memory: its log says which; remove the cause, and start it again"
            .formatted(node));
  }

  private static String what(Throwable cause) {
    return cause instanceof VirtualMachineError
        ? "an error of its Java machine (" + cause + ")"
        : "a fault of the program";
  }
}
