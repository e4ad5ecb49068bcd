package io.github.stablecut.cluster.internal.handoff;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * A Java Flight Recorder event: a partition was handed off to another node. It begins when this
 * node stops serving the partition, and ends when the other node owns it. Used by one thread at a
 * time.
 */
@Name("io.github.stablecut.HandOff")
@Label("Hand-off")
@Description("A handoff of a partition to another node, which did not serve requests meanwhile")
@Category("Stablecut")
@StackTrace(false)
final class HandoffEvent extends Event {
  @Label("Partition")
  int partition;

  @Label("To node")
  String node = "";

  @Label("Epoch")
  long epoch;

  /** Records that the other node now owns the partition. */
  void handedOff(int toldPartition, String toldNode, long toldEpoch) {
    partition = toldPartition;
    node = toldNode;
    epoch = toldEpoch;
    commit();
  }
}
