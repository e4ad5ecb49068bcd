package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.cluster.internal.membership.ClusterStableVector;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.partition.replicated.PartitionReplica;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/** Connections that lose everything that is sent. */
public class Nowhere implements Links {
  /** Requests that reach no node. */
  public static PendingRequests requests(MembershipView view) {
    return requests(
        view,
        new Nowhere(),
        TrafficBudgets.shared("n1", 1 << 20).requestsOut(),
        Runnable::run,
        Duration.ofSeconds(5));
  }

  /** Requests that use the given connections. */
  public static PendingRequests requests(
      MembershipView view,
      Links links,
      TrafficBudget budget,
      Executor executor,
      Duration patience) {
    PendingRequests requests = new PendingRequests(view, budget, executor, patience);
    requests.connect(links);
    return requests;
  }

  /**
   * Returns the settings of a node {@code n1} that no other node reaches.
   *
   * @param replicas of each partition, and the number of nodes
   */
  static NodeSettings settings(Path directory, StoreOptions options, int replicas) {
    return new NodeSettings(
        "n1",
        directory,
        options,
        new NodeSettings.Endpoint("127.0.0.1", 1, Optional.empty()),
        new NodeSettings.Formation(List.of(), replicas, replicas),
        NodeSettings.MoveLimits.DEFAULT);
  }

  /** The state that the partitions of that node share. */
  static ClusterPartition.Node node(
      RequestServer server,
      PendingRequests requests,
      MembershipView view,
      NodeClock clock,
      StoreOptions options) {
    return node(server, requests, view, clock, options, number -> Optional.empty());
  }

  /** The state that the partitions of that node share, with replicas of partitions. */
  static ClusterPartition.Node node(
      RequestServer server,
      PendingRequests requests,
      MembershipView view,
      NodeClock clock,
      StoreOptions options,
      IntFunction<Optional<PartitionReplica>> replicas) {
    return new ClusterPartition.Node(
        LocalDataCentre.FIRST,
        server,
        requests,
        view,
        clock,
        new ClusterStableVector(System::nanoTime),
        new ClockCatchUp("n1", clock, requests, view),
        options,
        Runnable::run,
        new SkippedPartitions(),
        replicas);
  }

  @Override
  public boolean isReady(String node) {
    return true;
  }

  @Override
  public void send(
      String node, int partition, long epoch, long number, Bytes request, Consumer<Boolean> done) {
    done.accept(true);
  }

  @Override
  public long run(String node) {
    return 7;
  }

  @Override
  public void repeat(
      String node,
      long run,
      int partition,
      long epoch,
      long number,
      Bytes request,
      Consumer<Boolean> done) {
    send(node, partition, epoch, number, request, done);
  }

  @Override
  public void tell(String node, int partition, Bytes message) {
    // No replica receives it.
  }

  @Override
  public void forget(long number) {
    // Nothing to forget.
  }

  @Override
  public String missing(String node) {
    return "node %s can't be reached at its data port".formatted(node);
  }
}
