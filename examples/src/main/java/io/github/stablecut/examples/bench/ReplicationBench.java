package io.github.stablecut.examples.bench;

import com.sun.management.OperatingSystemMXBean;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.examples.bench.replica.LoopbackCopy;
import io.github.stablecut.examples.bench.replica.ReplicationLoad;
import io.github.stablecut.examples.bench.replica.ReplicationPeer;
import io.github.stablecut.examples.bench.replica.VisibilityProbe;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.replication.LinkFaults;
import io.github.stablecut.replication.Replication;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Two data centres on loopback. Measures three things. First, how long after its acknowledgement a
 * commit becomes visible at the other data centre: at given rates, at the maximum rate, and at half
 * of that. Second, the cost of replication to commits, compared with the same store alone, where
 * the other data centre is another process on the same processors. Third, how fast one catches up
 * after a cut, compared with a store that opens the same journal, and a socket that carries as many
 * bytes.
 */
@Command(name = "replication", description = "Two data centres: lag, cost, and catching up")
final class ReplicationBench implements Callable<Integer> {
  private static final String LISTEN = "127.0.0.1:0";
  private static final Duration WARM_UP = Duration.ofSeconds(3);
  private static final int AS_FAST_AS_POSSIBLE = 0;

  @Option(
      names = "--rates",
      split = ",",
      defaultValue = "1000,10000",
      description = "commits per second (${DEFAULT-VALUE})")
  private List<Integer> rates = List.of();

  @Option(
      names = "--threads",
      defaultValue = "32",
      description = "committing threads (${DEFAULT-VALUE})")
  private int threads;

  @Option(names = "--rounds", defaultValue = "3", description = "rounds (${DEFAULT-VALUE})")
  private int rounds;

  @Option(names = "--seconds", defaultValue = "8", description = "per round (${DEFAULT-VALUE})")
  private int seconds;

  @Option(
      names = "--transactions",
      defaultValue = "500000",
      description = "transactions committed during a cut (${DEFAULT-VALUE})")
  private int transactions;

  @Mixin private Workspace workspace = new Workspace();

  @Override
  public Integer call() throws Exception {
    Path directory = workspace.create();
    try {
      System.out.println(Machine.describe(directory));
      measureLag(directory.resolve("lag"));
      measureCost(directory.resolve("cost"));
      measureCatchingUp(directory.resolve("cut"));
    } finally {
      FileTrees.delete(directory);
    }
    return 0;
  }

  private static Store open(Path directory, Optional<Replication> replication) {
    return open(directory, replication, CheckpointPolicy.defaults().withRetention(Duration.ZERO));
  }

  private static Store open(
      Path directory, Optional<Replication> replication, CheckpointPolicy checkpoints) {
    StoreOptions options = StoreOptions.defaults().withCheckpoints(checkpoints);
    return Stablecut.open(directory, replication.map(options::withReplication).orElse(options));
  }

  private static Store first(Path directory) {
    return open(directory, Optional.of(Replication.tcp(LISTEN)));
  }

  private static Store joined(Path directory, Store by) {
    return open(directory, Optional.of(Replication.tcp(LISTEN).join(address(by))));
  }

  private static String address(Store store) {
    return "127.0.0.1:" + store.dataCentres().port().orElseThrow();
  }

  private ReplicationLoad load(Store store) {
    return new ReplicationLoad(store, threads);
  }

  private Duration round() {
    return Duration.ofSeconds(seconds);
  }

  private void measureLag(Path directory) throws InterruptedException {
    try (Store here = first(directory.resolve("here"));
        Store there = joined(directory.resolve("there"), here)) {
      load(here).run(AS_FAST_AS_POSSIBLE, WARM_UP);
      System.out.println("wanted_per_s,committed_per_s,visible_per_s,p50_ms,p99_ms,longest_ms");
      double most = measureLag(here, there, AS_FAST_AS_POSSIBLE);
      TreeSet<Integer> all = new TreeSet<>(rates);
      all.add((int) (most / 2));
      for (int rate : all) {
        double committed = measureLag(here, there, rate);
        if (committed < 0.95 * rate) {
          System.out.printf("# the rate of %d per second was not reached%n", rate);
        }
      }
    }
  }

  private double measureLag(Store here, Store there, int rate) throws InterruptedException {
    VisibilityProbe probe = VisibilityProbe.start(here, there);
    long startNanos = System.nanoTime();
    double committed;
    try {
      committed = load(here).run(rate, round());
    } finally {
      probe.end();
    }
    double took = (System.nanoTime() - startNanos) / 1e9;
    System.out.printf(
        "%s,%.0f,%.0f,%.1f,%.1f,%.1f%n",
        rate == AS_FAST_AS_POSSIBLE ? "most" : "" + rate,
        committed,
        committed * seconds / took,
        probe.lag().getValueAtPercentile(50) / 1e6,
        probe.lag().getValueAtPercentile(99) / 1e6,
        probe.lag().getMaxValue() / 1e6);
    return committed;
  }

  /** Measures in alternating rounds, so that other load of the machine affects both. */
  private void measureCost(Path directory) throws IOException, InterruptedException {
    List<Double> ratios = new ArrayList<>();
    List<Double> cpuRatios = new ArrayList<>();
    try (Store alone = open(directory.resolve("alone"), Optional.empty());
        Store here = first(directory.resolve("here"));
        ReplicationPeer there = ReplicationPeer.start(directory.resolve("there"), address(here))) {
      for (Store store : List.of(alone, here)) {
        load(store).run(AS_FAST_AS_POSSIBLE, WARM_UP);
      }
      System.out.println("# the other data centre is process " + there.pid());
      System.out.println("replication,commits_per_s,cpu_us_per_commit");
      for (int i = 0; i < rounds; i++) {
        Cost off = cost("off", alone);
        Cost on = cost("on", here);
        ratios.add(on.perSecond / off.perSecond);
        cpuRatios.add(off.cpuMicros / on.cpuMicros);
      }
    }
    System.out.printf(
        "# with replication %.2f of the commits per second without it, where the other data centre shares the processors; %.2f by the processor time of a commit in this process%n",
        Medians.of(ratios), Medians.of(cpuRatios));
  }

  private record Cost(double perSecond, double cpuMicros) {}

  private Cost cost(String name, Store store) throws InterruptedException {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long beforeNanos = system.getProcessCpuTime();
    double perSecond = load(store).run(AS_FAST_AS_POSSIBLE, round());
    double cpuMicros = (system.getProcessCpuTime() - beforeNanos) / 1e3 / (perSecond * seconds);
    System.out.printf("%s,%.0f,%.1f%n", name, perSecond, cpuMicros);
    return new Cost(perSecond, cpuMicros);
  }

  private void measureCatchingUp(Path directory) throws IOException, InterruptedException {
    LinkFaults cable = new LinkFaults(1);
    Replication cut = Replication.tcp(LISTEN).through(cable::around);
    Path source = directory.resolve("here");
    double caughtUp;
    long bytes;
    try (Store here = open(source, Optional.of(cut), CheckpointPolicy.byCall());
        Store there = joined(directory.resolve("there"), here)) {
      load(here).run(AS_FAST_AS_POSSIBLE, WARM_UP);
      VisibilityProbe.await(here, there);
      here.checkpoint();
      cable.cutAll();
      long before = allocatedBytes(here);
      load(here).commit(transactions);
      bytes = allocatedBytes(here) - before;
      cable.heal();
      long startNanos = System.nanoTime();
      VisibilityProbe.await(here, there);
      caughtUp = perSecond(startNanos);
    }
    double carried = transactions / LoopbackCopy.seconds(bytes);
    long startNanos = System.nanoTime();
    open(source, Optional.empty(), CheckpointPolicy.byCall()).close();
    double opened = perSecond(startNanos);
    System.out.println("after a cut,transactions_per_s");
    System.out.printf("caught up,%.0f%n", caughtUp);
    System.out.printf("opened the same journal,%.0f%n", opened);
    System.out.printf("a socket carried as many bytes,%.0f%n", carried);
    System.out.printf(
        "# catching up: %.2f of opening, %.3f of a socket%n",
        caughtUp / opened, caughtUp / carried);
  }

  private static long allocatedBytes(Store store) {
    return store.status().journal().allocatedBytes();
  }

  private double perSecond(long startNanos) {
    return transactions * 1e9 / (System.nanoTime() - startNanos);
  }
}
