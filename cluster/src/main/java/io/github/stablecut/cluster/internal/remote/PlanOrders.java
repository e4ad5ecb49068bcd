package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.internal.recovery.NodePlan;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Orders of an operator that change which nodes have copies of partitions: the nodes agree on that
 * in the register of layouts, and tell each other. Confined to a thread.
 */
public final class PlanOrders {
  private static final Duration PATIENCE = Duration.ofSeconds(8);

  private final NodePartitions partitions;
  private final PlanRules rules;

  public PlanOrders(NodePartitions partitions, MembershipView view) {
    this.partitions = partitions;
    this.rules = new PlanRules(view);
  }

  /** One kind of order. */
  private interface Order {
    /** Whether the plan says already what the order asks for. */
    boolean isDone(NodePlan plan);

    /** Why it can't be done; empty if it can. */
    Optional<String> refusal(NodePlan plan);

    NodePlan changed(NodePlan plan);

    /** The node that is known to be lost. */
    String lost();
  }

  private record Replace(PlanRules rules, String lost, String by) implements Order {
    @Override
    public boolean isDone(NodePlan plan) {
      return PlanRules.isReplaced(plan, lost, by);
    }

    @Override
    public Optional<String> refusal(NodePlan plan) {
      return rules.replacementRefusal(plan, lost, by);
    }

    @Override
    public NodePlan changed(NodePlan plan) {
      return plan.replacing(lost, by);
    }
  }

  private record Change(PlanRules rules, int number) implements Order {
    @Override
    public boolean isDone(NodePlan plan) {
      return plan.copiesEach() == number;
    }

    @Override
    public Optional<String> refusal(NodePlan plan) {
      return rules.copiesRefusal(plan, number);
    }

    @Override
    public NodePlan changed(NodePlan plan) {
      return plan.withCopies(number, rules.among(plan, Optional.empty()));
    }

    @Override
    public String lost() {
      return "";
    }
  }

  private record Spread(PlanRules rules, Optional<String> without) implements Order {
    @Override
    public boolean isDone(NodePlan plan) {
      if (rules.spreadRefusal(plan, without).isPresent()) {
        return false;
      }
      NodePlan next = changed(plan);
      return next.copies().equals(plan.copies())
          && next.registerNodes().equals(plan.registerNodes());
    }

    @Override
    public Optional<String> refusal(NodePlan plan) {
      return rules.spreadRefusal(plan, without);
    }

    @Override
    public NodePlan changed(NodePlan plan) {
      return plan.withCopies(plan.copiesEach(), rules.among(plan, without));
    }

    @Override
    public String lost() {
      return "";
    }
  }

  /**
   * Has another node take the place of one that is lost for ever.
   *
   * @throws MoveRefusedException if that can't be, or nobody knows whether it was agreed on
   */
  public void replace(String lost, String by) {
    agree(new Replace(rules, lost, by));
  }

  /**
   * Has each partition get so many copies.
   *
   * @throws MoveRefusedException if that can't be, or nobody knows whether it was agreed on
   */
  public void changeCopies(int number) {
    agree(new Change(rules, number));
  }

  /**
   * Has the copies of all partitions spread evenly over the nodes.
   *
   * @param without a node that is to have none, and not to keep the register
   * @throws MoveRefusedException if that can't be, or nobody knows whether it was agreed on
   */
  public void spread(Optional<String> without) {
    agree(new Spread(rules, without));
  }

  /** Agrees on it; done at once if that was agreed on before. */
  private void agree(Order order) {
    NodePlan own =
        partitions
            .plan()
            .filter(plan -> plan.hasCopies() && plan.isFormed())
            .orElseThrow(
                () ->
                    new MoveRefusedException(
                        "the partitions of this cluster exist once, and only there: what a node had is lost with its directory (restore that), and they get copies in a new cluster (serve --copies, cluster export and import)"));
    NodeCopies copies =
        partitions
            .copies()
            .orElseThrow(
                () -> new MoveRefusedException("this node opens its copies: try again soon"));
    while (true) {
      NodePlan newest = own.with(answer(copies.register().changes()));
      boolean isDone = order.isDone(newest);
      refuse(rules.untold(own, newest, isDone ? order.lost() : ""));
      if (isDone) {
        update(newest);
        return;
      }
      refuse(order.refusal(newest));
      NodePlan next = order.changed(newest);
      if (answer(copies.register().agreeOnChanges(next.changes()))) {
        update(next);
        return;
      }
    }
  }

  private static void refuse(Optional<String> reason) {
    reason.ifPresent(
        why -> {
          throw new MoveRefusedException(why);
        });
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
          "the register of layouts does not answer (%s): a majority of the nodes that keep it has to be there. It may be agreed on all the same: repeat this order then, and give no other before"
              .formatted(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MoveRefusedException("it was interrupted: do it again");
    }
  }
}
