package io.github.stablecut.examples.bench.guard;

import io.github.stablecut.examples.bench.commit.CommitRound;
import io.github.stablecut.examples.bench.commit.CommitRunner;
import io.github.stablecut.examples.bench.commit.ProcessUse;
import io.github.stablecut.examples.bench.wire.FreePorts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Three nodes of a cluster, each a process with a replica of the only partition; the clients of
 * this process use the leader's node. The costs of a round are those of all nodes together.
 * Confined to one thread.
 */
final class ClusterProcesses implements CommitRunner, AutoCloseable {
  static final int NODES = 3;

  /** The length of the rounds that find out which node leads. */
  private static final long PROBE_NANOS = 500_000_000;

  private final List<ServerProcess> nodes;
  private final ServerProcess leader;
  private ProcessUse before;

  private ClusterProcesses(List<ServerProcess> nodes) throws IOException, InterruptedException {
    this.nodes = nodes;
    this.leader = fastest(nodes);
    this.before = use();
  }

  /** Starts the nodes, and waits until all of them serve. */
  static ClusterProcesses start(Subject subject, String bench, Path directory)
      throws IOException, InterruptedException {
    List<ServerProcess> nodes = new ArrayList<>();
    try {
      for (NodePlace place : NodePlace.all(FreePorts.find(NODES))) {
        Path data = directory.resolve("n" + place.number());
        List<String> command = GuardPeer.command(subject, bench, data);
        command.addAll(place.toArguments());
        nodes.add(ServerProcess.start(subject.name(), command, GuardPeer.reads(bench)));
      }
      for (ServerProcess node : nodes) {
        node.await();
      }
      return new ClusterProcesses(nodes);
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      nodes.forEach(ServerProcess::close);
      throw e;
    }
  }

  /** The leader's node, which answers updates faster, as the others ask it. */
  private static ServerProcess fastest(List<ServerProcess> nodes)
      throws IOException, InterruptedException {
    ServerProcess fastest = nodes.get(0);
    double most = 0;
    for (int i = 0; i < 2; i++) { // the first round warms up
      most = 0;
      for (ServerProcess node : nodes) {
        double speed = node.run(1, 0, PROBE_NANOS).commitsPerSecond();
        if (speed > most) {
          most = speed;
          fastest = node;
        }
      }
    }
    return fastest;
  }

  private ProcessUse use() throws IOException {
    ProcessUse all = nodes.get(0).use();
    for (ServerProcess node : nodes.subList(1, nodes.size())) {
      all = all.plus(node.use());
    }
    return all;
  }

  @Override
  public CommitRound run(int threads, int bodyBytes, long nanos)
      throws IOException, InterruptedException {
    CommitRound round = leader.run(threads, bodyBytes, nanos);
    ProcessUse after = use();
    CommitRound costly = round.withCosts(after.since(before, round.commits()));
    before = after;
    return costly;
  }

  @Override
  public void close() {
    nodes.forEach(ServerProcess::close);
  }
}
