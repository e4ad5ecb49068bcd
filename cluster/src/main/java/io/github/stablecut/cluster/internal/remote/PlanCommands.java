package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.register.RatisRegister;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PlanChange;
import io.github.stablecut.internal.replica.Configuration;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Operator commands that change which nodes have replicas of partitions. The nodes agree on the
 * change in the configuration register, and notify each other. Confined to a thread.
 */
public final class PlanCommands {
  private static final Duration PATIENCE = Duration.ofSeconds(8);

  private static final Duration ASKING = Duration.ofSeconds(3);

  /** The interval of checks for an answer from a new configuration register. */
  private static final long LOOK_MILLIS = 100;

  /** The time within which the leaders of partitions have to prove that they lead. */
  private static final Duration PROOF = Duration.ofSeconds(5);

  private final NodePartitions partitions;
  private final MembershipView view;
  private final PendingRequests requests;
  private final PlanRules rules;
  private final LeaderProof leaders;

  public PlanCommands(NodePartitions partitions, MembershipView view, PendingRequests requests) {
    this.partitions = partitions;
    this.view = view;
    this.requests = requests;
    this.leaders = new LeaderProof(requests, PROOF);
    this.rules = new PlanRules(view);
  }

  /** One kind of command. */
  private interface Order {
    /** Returns whether the plan already includes what the command asks for. */
    boolean isDone(NodePlan plan);

    /** Returns why the command is refused; empty if it is possible. */
    Optional<String> refusal(NodePlan plan);

    /** Returns the partitions that need leaders. */
    Set<Integer> led(NodePlan plan);

    /**
     * Returns why the command is refused while some of these partitions have no leader; empty if
     * all have one.
     */
    Optional<String> unledRefusal(List<Integer> without);

    NodePlan changed(NodePlan plan);

    /** Returns the node that is known to be lost. */
    String lost();
  }

  /** A command that changes the placement of all partitions' replicas. */
  private interface PlacementOrder extends Order {
    PlanRules rules();

    @Override
    default Set<Integer> led(NodePlan plan) {
      return rules().all();
    }

    @Override
    default Optional<String> unledRefusal(List<Integer> without) {
      return PlanRules.mayNotChange(without);
    }

    @Override
    default String lost() {
      return "";
    }
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
    public Set<Integer> led(NodePlan plan) {
      return rules.mayVote(plan, lost);
    }

    @Override
    public Optional<String> unledRefusal(List<Integer> without) {
      return PlanRules.mayNeed(without, lost);
    }

    @Override
    public NodePlan changed(NodePlan plan) {
      return plan.replacing(lost, by);
    }
  }

  private record Change(PlanRules rules, int number) implements PlacementOrder {
    @Override
    public boolean isDone(NodePlan plan) {
      return plan.replicationFactor() == number;
    }

    @Override
    public Optional<String> refusal(NodePlan plan) {
      return rules.replicaChangeRefusal(plan, number);
    }

    @Override
    public NodePlan changed(NodePlan plan) {
      return plan.withReplicas(number, rules.among(plan, Optional.empty()), rules.zones(plan));
    }
  }

  private record Spread(PlanRules rules, Optional<String> without) implements PlacementOrder {
    @Override
    public boolean isDone(NodePlan plan) {
      return rules.isSpread(plan, without);
    }

    @Override
    public Optional<String> refusal(NodePlan plan) {
      return rules.spreadRefusal(plan, without);
    }

    @Override
    public NodePlan changed(NodePlan plan) {
      return rules.spread(plan, without);
    }
  }

  /**
   * Replaces a permanently lost node with another one.
   *
   * @throws MoveRefusedException if that is impossible, or it is unknown whether it was agreed on
   */
  public void replace(String lost, String by) {
    agree(new Replace(rules, lost, by));
  }

  /**
   * Changes the number of each partition's replicas. For unreplicated partitions, the owner of
   * partition 0 first decides to introduce a configuration register.
   *
   * @throws MoveRefusedException if that is impossible, or it is unknown whether it was agreed on
   */
  public void changeReplicas(int number) {
    Optional<NodePlan> own = partitions.plan().filter(NodePlan::isFormed);
    if (own.filter(plan -> !plan.isReplicated()).isPresent()) {
      if (number == 1) {
        return;
      }
      begin(own.get(), number);
    }
    agree(new Change(rules, number));
  }

  private void begin(NodePlan own, int number) {
    refuse(rules.registerRefusal(own, number));
    String decides = view.owner(0).node();
    if (decides.equals(partitions.name())) {
      decide(number);
    } else {
      try {
        requests.callNode(decides, 0, new Request.BeginReplicas(number), PATIENCE);
      } catch (StablecutException e) {
        throw new MoveRefusedException(
            "node %s, which decides as the owner of partition 0: %s"
                .formatted(decides, e.getMessage()));
      }
    }
    awaitRegister();
  }

  private void askWhetherItCould(String node) {
    if (node.equals(partitions.name())) {
      decide(0);
      return;
    }
    try {
      requests.callNode(node, 0, new Request.BeginReplicas(0), ASKING);
    } catch (StablecutException e) {
      throw new MoveRefusedException(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Decides, as the owner of partition 0, that a configuration register records who leads the
   * partitions.
   *
   * @param number the number of replicas; 0 only to check whether this node could have some
   * @throws MoveRefusedException if that is impossible
   */
  public void decide(int number) {
    NodePlan own =
        partitions
            .plan()
            .filter(NodePlan::isFormed)
            .orElseThrow(() -> new MoveRefusedException("the cluster is not formed yet"));
    if (own.isReplicated()) {
      return;
    }
    refuse(partitions.replicaChangeRefusal());
    if (number == 0) {
      return;
    }
    if (partitions.isAmongOthers()) {
      throw new MoveRefusedException(
          "the cluster replicates with other data centres, and can't have replicas of its"
              + " partitions yet");
    }
    refuse(rules.registerRefusal(own, number));
    // The change would wait for a node that can't have replicas.
    view.nodes().keySet().forEach(this::askWhetherItCould);
    refuse(partitions.decide(own.withRegister(rules.register(number))));
  }

  /** Waits until this node knows the configuration register, and the register answers. */
  private void awaitRegister() {
    long deadlineNanos = System.nanoTime() + PATIENCE.toNanos();
    while (!answers()) {
      if (System.nanoTime() - deadlineNanos > 0) {
        throw new MoveRefusedException(
            "the nodes have started a configuration register, which does not answer yet: repeat"
                + " the command until it succeeds, and check cluster status meanwhile");
      }
      try {
        Thread.sleep(LOOK_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new MoveRefusedException("interrupted: try again");
      }
    }
  }

  private boolean answers() {
    try {
      Optional<NodeReplicas> replicas = partitions.replicas();
      List<String> own =
          partitions.plan().map(plan -> PlanChange.toTexts(plan.changes())).orElse(List.of());
      return replicas.map(known -> answer(known.register().changes(own))).isPresent();
    } catch (MoveRefusedException e) {
      return false;
    }
  }

  /**
   * Spreads the replicas of all partitions evenly over the nodes. Unless a node is about to leave,
   * also transfers leadership of each partition to the replica that the plan names first.
   *
   * @param without a node that is to have no replicas, and not to keep the configuration register
   * @throws MoveRefusedException if that is impossible, or it is unknown whether it was agreed on
   */
  public void spread(Optional<String> without) {
    agree(new Spread(rules, without));
    if (without.isEmpty()) {
      partitions.evenOut();
      view.nodes().keySet().forEach(this::evenOut);
    }
  }

  private void evenOut(String node) {
    try {
      if (!node.equals(partitions.name())) {
        requests.callNode(node, 0, new Request.BalanceLeaders(), ASKING);
      }
    } catch (StablecutException e) {
      throw new MoveRefusedException(
          "leaders should be balanced, but node %s has not received which partitions to hand over (%s): repeat the command"
              .formatted(node, e.getMessage()));
    }
  }

  /** Agrees on a command; returns at once if it was agreed on before. */
  private void agree(Order order) {
    NodePlan own =
        partitions
            .plan()
            .filter(plan -> plan.isReplicated() && plan.isFormed())
            .orElseThrow(
                () ->
                    new MoveRefusedException(
                        "the partitions of this cluster have no replicas: a node's data is lost"
                            + " with its directory (restore that); cluster replicas 3 gives each"
                            + " partition two more replicas"));
    NodeReplicas replicas =
        partitions
            .replicas()
            .orElseThrow(
                () ->
                    new MoveRefusedException("this node is opening its replicas: try again soon"));
    while (true) {
      List<String> agreed = answer(replicas.register().changes(PlanChange.toTexts(own.changes())));
      NodePlan newest = own.with(PlanChange.parseAll(agreed));
      boolean isDone = order.isDone(newest);
      refuse(rules.untold(own, newest, isDone ? order.lost() : ""));
      if (isDone) {
        update(newest);
        return;
      }
      refuse(lost(replicas, rules.withoutReachableLeader()));
      refuse(order.refusal(newest));
      List<Integer> unled = unled(order.led(newest));
      refuse(lost(replicas, unled));
      refuse(order.unledRefusal(unled));
      NodePlan next = order.changed(newest);
      List<String> changes = PlanChange.toTexts(next.changes());
      refuse(RatisRegister.refusal(changes.get(changes.size() - 1)));
      if (answer(replicas.register().agreeOnChange(changes))) {
        update(next);
        return;
      }
    }
  }

  /**
   * Returns the reason why a command is useless while partitions have no leader, and can't get one.
   */
  private Optional<String> lost(NodeReplicas replicas, List<Integer> without) {
    Map<Integer, Configuration> configurations = new HashMap<>();
    for (int number : without) {
      configurations.put(number, answer(replicas.register().read(number)));
    }
    return LostPartitions.refusal(configurations, node -> !view.nodes().containsKey(node));
  }

  private List<Integer> unled(Set<Integer> numbers) {
    try {
      return leaders.missing(numbers);
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  private static MoveRefusedException interrupted() {
    Thread.currentThread().interrupt();
    return new MoveRefusedException("interrupted: try again");
  }

  private static void refuse(Optional<String> reason) {
    reason.ifPresent(
        why -> {
          throw new MoveRefusedException(why);
        });
  }

  private void update(NodePlan newest) {
    partitions.updateNow(newest);
    // If partitions were unreplicated, new replicas wait until their owners have entered
    // themselves.
    if (newest.epochsAfter() == 0 && partitions.plan().filter(newest::isNewerThan).isPresent()) {
      throw new MoveRefusedException(
          "the nodes agreed on it, but it can't be written (the log of node %s has the reason): repeat the command, perhaps on another node"
              .formatted(partitions.name()));
    }
  }

  /**
   * Awaits an answer of the configuration register.
   *
   * @throws MoveRefusedException if it does not answer
   */
  static <T> T answer(CompletionStage<T> reply) {
    try {
      return reply.toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw noAnswer(words(e));
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  /**
   * Describes for an operator, without class names, why the configuration register does not answer.
   */
  static String words(Exception failure) {
    Throwable cause = Objects.requireNonNullElse(failure.getCause(), failure);
    return Objects.requireNonNullElse(cause.getMessage(), "no answer in time");
  }

  private static MoveRefusedException noAnswer(String why) {
    return new MoveRefusedException(
        "the configuration register does not answer (%s): it needs a majority of its nodes. The change may still be agreed on: then repeat this command before any other. If a majority is lost permanently, stop all nodes, and build a store from the remaining directories (stablecut cluster recover)"
            .formatted(why));
  }
}
