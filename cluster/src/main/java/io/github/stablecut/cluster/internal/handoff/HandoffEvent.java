package io.github.stablecut.cluster.internal.handoff;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * An event of Java Flight Recorder: a partition was handed off to another node. It begins when this
 * node stops serving it, and ends when it is the other's. Used by one thread after the other.
 */
@Name("io.github.stablecut.HandOff")
@Label("Hand-off")
@Description("A partition was handed off to another node, and not served meanwhile")
@Category("Stablecut")
@StackTrace(false)
final class HandoffEvent extends Event {
  @Label("Partition")
  int partition;

  @Label("To node")
  String node = "";

  @Label("Epoch")
  long epoch;

  /** Told once the partition is the other node's. */
  void handedOff(int toldPartition, String toldNode, long toldEpoch) {
    partition = toldPartition;
    node = toldNode;
    epoch = toldEpoch;
    commit();
  }
}
