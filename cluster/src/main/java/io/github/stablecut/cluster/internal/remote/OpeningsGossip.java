package io.github.stablecut.cluster.internal.remote;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.cluster.internal.membership.DirectoryOpenings;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodeOpening;
import io.github.stablecut.log.Log;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;

/**
 * The openings of other nodes' directories that this node has learned of, in this run and in
 * earlier ones. Another thread makes new openings durable in this node's directory. Thread-safe.
 */
final class OpeningsGossip {
  private static final Logger LOG = Log.of(OpeningsGossip.class);

  private final NodeDirectory directory;
  private final Executor executor;

  /** The newest openings, by replica. */
  @GuardedBy("this")
  private final Map<String, NodeOpening> newest = new TreeMap<>();

  @GuardedBy("this")
  private boolean isWriting;

  @GuardedBy("this")
  private boolean hasWarned;

  /**
   * @param executor of one thread
   */
  OpeningsGossip(NodeDirectory directory, Executor executor) {
    this.directory = directory;
    this.executor = executor;
    directory.openings().forEach(one -> newest.put(one.replica(), one));
  }

  /** Returns the openings that this node gossips. */
  DirectoryOpenings facts() {
    return new DirectoryOpenings(directory.opening(), known());
  }

  private synchronized List<NodeOpening> known() {
    return List.copyOf(newest.values());
  }

  /**
   * Merges the openings that another node knows. An opening that can't be written is written when
   * the node repeats it.
   */
  synchronized void heard(DirectoryOpenings openings) {
    openings.own().ifPresent(this::hear);
    openings.known().forEach(this::hear);
    if (!isWriting && !newest.isEmpty() && !known().equals(directory.openings())) {
      try {
        isWriting = true;
        executor.execute(this::write);
      } catch (RejectedExecutionException e) {
        isWriting = false;
      }
    }
  }

  @GuardedBy("this")
  private void hear(NodeOpening openings) {
    newest.merge(
        openings.replica(),
        openings,
        (known, other) -> other.count() > known.count() ? other : known);
  }

  private void write() {
    try {
      directory.rememberOpenings(known());
    } catch (IOException e) {
      warnOnce(IoReason.of(e));
    } catch (RuntimeException e) {
      warnOnce(e.toString());
    } finally {
      synchronized (this) {
        isWriting = false;
      }
    }
  }

  private synchronized void warnOnce(String why) {
    if (!hasWarned) {
      LOG.warn("can't record the openings of other nodes' directories;" + " retrying: {}", why);
    }
    hasWarned = true;
  }
}
