package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.internal.recovery.NodePlan;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The order of an operator that another node takes the place of one that is lost for ever: the
 * nodes agree on that in the register of layouts, and tell each other. Confined to a thread.
 */
public final class Replacing {
  private static final Duration PATIENCE = Duration.ofSeconds(8);

  private final NodePartitions partitions;
  private final MembershipView view;

  public Replacing(NodePartitions partitions, MembershipView view) {
    this.partitions = partitions;
    this.view = view;
  }

  /**
   * Agrees on it; done at once if that was agreed on before.
   *
   * @throws MoveRefusedException if that can't be, or nobody knows whether it was agreed on
   */
  public void replace(String lost, String by) {
    NodePlan own =
        partitions
            .plan()
            .filter(plan -> plan.hasCopies() && plan.isFormed())
            .orElseThrow(
                () ->
                    new MoveRefusedException(
                        "the partitions of this cluster exist once, so what node %s had is lost with its directory: restore that"
                            .formatted(lost)));
    NodeCopies copies =
        partitions
            .copies()
            .orElseThrow(
                () -> new MoveRefusedException("this node opens its copies: try again soon"));
    while (true) {
      NodePlan newest = own.with(answer(copies.register().replaced()));
      if (newest.replaced().contains(NodePlan.replacement(lost, by))) {
        update(newest);
        return;
      }
      check(newest, lost, by);
      NodePlan next = newest.replacing(lost, by);
      if (answer(copies.register().agreeOnReplaced(next.replaced()))) {
        update(next);
        return;
      }
    }
  }

  private void check(NodePlan plan, String lost, String by) {
    if (!plan.nodes().contains(lost)) {
      throw new MoveRefusedException(
          "node %s has no copies: those that have are %s".formatted(lost, plan.nodes()));
    }
    if (view.nodes().containsKey(lost)) {
      throw new MoveRefusedException(
          "node %s is there: only one that is lost for ever is replaced; stop it first"
              .formatted(lost));
    }
    if (!NodePlan.NAME.matcher(by).matches()) {
      throw new MoveRefusedException(
          "a node's name is 1 to 63 letters, digits, dots, hyphens and underscores, not \"%s\""
              .formatted(by));
    }
    if (plan.nodes().contains(by)) {
      throw new MoveRefusedException(
          "node %s has copies itself: name a node that is not among %s"
              .formatted(by, plan.nodes()));
    }
    if (view.nodes().containsKey(by)) {
      throw new MoveRefusedException(
          "there is a node %s: stop it, and start it again, with an empty directory, after this"
              .formatted(by));
    }
  }

  private void update(NodePlan newest) {
    partitions.update(newest);
    if (partitions.plan().filter(newest::isNewerThan).isPresent()) {
      throw new MoveRefusedException(
          "it was agreed on, but can't be written (the log of node %s says why): do it again, perhaps at another node"
              .formatted(partitions.name()));
    }
  }

  private static <T> T answer(CompletionStage<T> asked) {
    try {
      return asked.toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new MoveRefusedException(
          "the register of layouts does not answer (%s): a majority of the nodes that keep it has to be there; try again then"
              .formatted(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MoveRefusedException("it was interrupted: do it again");
    }
  }
}
