package io.github.stablecut.examples.bench;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The benchmarks' command line. */
@Command(
    name = "bench",
    description = "Benchmarks of Stablecut",
    mixinStandardHelpOptions = true,
    subcommands = {
      CachesBench.class,
      CatchUpBench.class,
      ClusterBench.class,
      CommitBench.class,
      ConnectBench.class,
      GuardBench.class,
      ReplicasBench.class,
      HitsBench.class,
      MemoryBench.class,
      MixedBench.class,
      ObjectsBench.class,
      ReadBench.class,
      RecordsBench.class,
      ReplicationBench.class,
      RestartBench.class,
      RunBench.class,
      ServiceBench.class,
      SpaceBench.class,
      SteadyBench.class,
      TextBench.class,
      TransactionsBench.class,
      TypesBench.class,
      VcorfuBench.class,
      ViewsBench.class,
      WireBench.class
    })
public final class Bench {
  private Bench() {}

  /** Runs a benchmark and exits. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new Bench()).execute(args));
  }
}
