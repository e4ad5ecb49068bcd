package io.github.stablecut.examples.bench.replica;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.cluster.PartitionReplicaLocation;
import io.github.stablecut.cluster.Server;
import io.github.stablecut.cluster.SettingsLoader;
import io.github.stablecut.examples.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A node of a cluster with one partition, in its own process, which reports its work. Confined to
 * one thread.
 */
public final class ReplicasPeer implements AutoCloseable {
  private static final String HEAP = "512m";

  private final List<String> arguments;
  private final Process process;
  private final BufferedReader out;

  /**
   * A leader's knowledge of the other replicas.
   *
   * @param reachable the number of replicas whose nodes are reachable
   * @param isNone whether all are reachable, vote, and lack nothing
   */
  public record Lag(long reachable, boolean isNone) {}

  /**
   * The work since the process started.
   *
   * @param records written as a leader
   * @param syncs of these records
   */
  public record Work(Duration processor, long records, long syncs, Lag lag) {
    public Work since(Work before) {
      return new Work(
          processor.minus(before.processor), records - before.records, syncs - before.syncs, lag);
    }
  }

  private ReplicasPeer(List<String> arguments) throws IOException {
    this.arguments = arguments;
    ProcessBuilder builder =
        ChildJvm.withHeap(HEAP, ReplicasPeer.class, arguments.toArray(String[]::new));
    builder.command().add(1, "-Dstablecut.log=ERROR");
    this.process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    this.out = process.inputReader(UTF_8);
  }

  /**
   * Starts a node.
   *
   * @param ports of all nodes, for each other
   * @param number of the node among them
   * @param replicas of the partition
   */
  static ReplicasPeer start(Path directory, List<Integer> ports, int number, int replicas)
      throws IOException {
    List<String> seeds = ports.stream().map(port -> "127.0.0.1:" + port).toList();
    return new ReplicasPeer(
        List.of(
            directory.resolve("c" + number).toString(),
            "c" + number,
            "" + ports.get(number),
            String.join(",", seeds),
            "" + replicas));
  }

  /** Restarts a node that has ended. */
  ReplicasPeer again() throws IOException {
    return new ReplicasPeer(arguments);
  }

  Path directory() {
    return Path.of(arguments.get(0));
  }

  /** Connects a client once the node serves. */
  Store connect() throws IOException {
    return Stablecut.connect("stablecut://127.0.0.1:" + Integer.parseInt(line()));
  }

  private String line() throws IOException {
    String line = out.readLine();
    if (line == null) {
      throw new IOException("the process of a node exited: see its messages above");
    }
    return line;
  }

  Work work() throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
    String[] words = line().split(" ", -1);
    return new Work(
        process.info().totalCpuDuration().orElse(Duration.ZERO),
        Long.parseLong(words[0]),
        Long.parseLong(words[1]),
        new Lag(Long.parseLong(words[2]), Boolean.parseBoolean(words[3])));
  }

  /** Serves until the input ends; answers each line with the work done. */
  public static void main(String[] args) throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    List<String> seeds = List.of(args[3].split(",", -1));
    Map<String, Object> settings =
        Map.of(
            "data",
            args[0],
            "port",
            0,
            "operations.enabled",
            false,
            "store.partitions",
            1,
            "cluster.node",
            args[1],
            "cluster.port",
            Integer.parseInt(args[2]),
            "cluster.join",
            seeds,
            "cluster.form-with",
            seeds.size(),
            "cluster.replicas",
            Integer.parseInt(args[4]));
    try (Server server = Server.start(SettingsLoader.load(Optional.empty(), settings))) {
      System.out.println(server.address().getPort());
      while (in.readLine() != null) {
        StoreStatus.Journal journal = server.store().status().journal();
        Lag lag = lag(server.replicas());
        System.out.printf(
            "%d %d %d %b%n", journal.records(), journal.syncs(), lag.reachable, lag.isNone);
      }
    }
  }

  private static Lag lag(List<PartitionReplicaLocation> replicas) {
    List<PartitionReplicaLocation.Follower> reachable =
        replicas.stream()
            .flatMap(replica -> replica.followers().stream())
            .filter(follower -> !follower.isSilent())
            .toList();
    boolean isNone =
        reachable.stream().allMatch(follower -> follower.behind() == 0)
            && replicas.stream().noneMatch(PartitionReplicaLocation::isUnderReplicated);
    return new Lag(reachable.size(), isNone);
  }

  /** Kills the process, whose data is not needed. */
  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
