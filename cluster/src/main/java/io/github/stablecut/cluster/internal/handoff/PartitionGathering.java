package io.github.stablecut.cluster.internal.handoff;

import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.remote.PendingRequests;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.error.StablecutException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Makes this node the only one of its cluster: moves all partitions to it, and makes the other
 * nodes leave. Thread-safe.
 */
public final class PartitionGathering {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration CALL = Duration.ofSeconds(5);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final String name;
  private final MembershipView view;
  private final PendingRequests requests;
  private final MoveCommands commands;

  /**
   * @param name this node's name
   */
  public PartitionGathering(
      String name, MembershipView view, PendingRequests requests, MoveCommands commands) {
    this.name = name;
    this.view = view;
    this.requests = requests;
    this.commands = commands;
  }

  /** A step, repeated until it is done. */
  @FunctionalInterface
  private interface Step {
    /** Tries the step; returns what is missing and why, or empty if the step is complete. */
    Optional<String> missing();
  }

  private static void repeat(Step step) {
    long deadlineNanos = System.nanoTime() + PATIENCE.toNanos();
    Optional<String> missing = step.missing();
    while (missing.isPresent()) {
      if (System.nanoTime() - deadlineNanos > 0 || Thread.currentThread().isInterrupted()) {
        throw new ReplicationRefusedException(
            "the cluster did not join the other data centres: %s, even after %s; remove the cause, and try again"
                .formatted(missing.get(), DurationWords.of(PATIENCE)));
      }
      LockSupport.parkNanos(POLL_NANOS);
      missing = step.missing();
    }
  }

  /**
   * Moves all partitions to this node.
   *
   * @throws ReplicationRefusedException if that fails
   */
  public void gather() {
    if (view.members().size() != view.nodes().size()) {
      throw new ReplicationRefusedException(
          "the cluster has members at %s, but only the nodes %s are reachable: start the others, because a cluster joins other data centres only with all of its nodes"
              .formatted(new TreeSet<>(view.members()), new TreeSet<>(view.nodes().keySet())));
    }
    repeat(this::ungathered);
  }

  private Optional<String> ungathered() {
    Optional<String> missing = Optional.empty();
    List<MembershipView.Owner> elsewhere =
        view.owners().stream().filter(owner -> !owner.node().equals(name)).toList();
    for (MembershipView.Owner owner : elsewhere) {
      String why = "it is being moved";
      try {
        commands.move(owner.partition(), name);
      } catch (StablecutException e) {
        why = String.valueOf(e.getMessage());
      }
      missing =
          Optional.of(
              "partition %d is on node %s and not on %s (%s)"
                  .formatted(owner.partition(), owner.node(), name, why));
    }
    return missing;
  }

  /**
   * Makes all other nodes leave.
   *
   * @throws ReplicationRefusedException if one of them does not
   */
  public void renewOthers(Request.Renew renewal) {
    repeat(() -> others(renewal));
  }

  private Optional<String> others(Request.Renew renewal) {
    Optional<String> missing = Optional.empty();
    Set<String> others = new TreeSet<>(view.nodes().keySet());
    others.remove(name);
    for (String other : others) {
      String why = "by request";
      try {
        requests.callNode(other, 0, renewal, CALL);
      } catch (StablecutException e) {
        why = String.valueOf(e.getMessage());
      }
      missing = Optional.of("node %s did not leave (%s)".formatted(other, why));
    }
    return missing;
  }
}
