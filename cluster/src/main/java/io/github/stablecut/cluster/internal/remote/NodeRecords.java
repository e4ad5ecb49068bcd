package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.error.IoReason;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.log.Log;
import java.io.IOException;
import java.util.Set;
import org.slf4j.Logger;

/**
 * Records facts in a node's directory while the node serves. On an I/O error, logs once; the caller
 * retries. One thread makes changes, and all threads see them.
 */
public final class NodeRecords {
  private static final Logger LOG = Log.of(NodeRecords.class);

  private final String node;
  private final String address;
  private final NodeDirectory directory;
  private final Runnable listener;

  /** Whether a failure to record that the cluster is complete was logged. */
  private boolean hasWarned;

  /** Whether a failure to record the members' addresses was logged. */
  private boolean hasWarnedOfMembers;

  /** Whether a failure to record a newer plan was logged. */
  private boolean hasWarnedOfPlan;

  /**
   * @param address the node's address
   * @param listener called when the cluster was recorded as complete
   */
  NodeRecords(String node, String address, NodeDirectory directory, Runnable listener) {
    this.node = node;
    this.address = address;
    this.directory = directory;
    this.listener = listener;
  }

  /** Records that all partitions of the cluster have been open. */
  public void markFormed() {
    if (isFormed()) {
      return;
    }
    try {
      directory.markFormed();
      listener.run();
    } catch (IOException e) {
      if (!hasWarned) {
        LOG.warn(
            "node {} can't record that its cluster is complete, and retries: {}",
            node,
            IoReason.of(e));
      }
      hasWarned = true;
    }
  }

  /**
   * Records a newer plan of the cluster.
   *
   * @return whether this call wrote the plan
   */
  boolean update(NodePlan newer) {
    if (directory.plan().filter(newer::isNewerThan).isEmpty()) {
      return false;
    }
    try {
      directory.update(newer);
      return true;
    } catch (IOException e) {
      if (!hasWarnedOfPlan) {
        LOG.warn(
            "node {} can't record that nodes were replaced, and retries: {}", node, IoReason.of(e));
      }
      hasWarnedOfPlan = true;
      return false;
    }
  }

  private boolean isFormed() {
    return directory.plan().map(NodePlan::isFormed).orElse(false);
  }

  /**
   * Returns the addresses of the cluster's members in the directory, if they were recorded at this
   * node's address; may be empty.
   */
  public Set<String> remembered() {
    return directory.members(address);
  }

  /**
   * Records the addresses of the cluster's members for the next start. The node works without them.
   */
  public void remember(Set<String> members) {
    if (members.equals(remembered())) {
      return;
    }
    try {
      directory.remember(address, members);
    } catch (IOException e) {
      if (!hasWarnedOfMembers) {
        LOG.warn(
            "node {} can't record the addresses of its cluster's members, and retries: {}",
            node,
            IoReason.of(e));
      }
      hasWarnedOfMembers = true;
    }
  }
}
