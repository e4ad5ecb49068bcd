package io.github.stablecut.examples.bench.commit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * The figures of one round, in which threads commit one record after the other. Immutable.
 *
 * @param commits of all threads together
 * @param commitsPerSecond of all threads together
 * @param p50Micros the median latency
 * @param p99Micros the 99th percentile of the latency
 * @param syncsPerCommit below 1 where commits share a sync; NaN if unknown
 * @param costs the process's resources per commit
 */
public record CommitRound(
    long commits,
    double commitsPerSecond,
    double p50Micros,
    double p99Micros,
    double syncsPerCommit,
    Costs costs) {
  private static final long MAX_NANOS = 60_000_000_000L;

  /**
   * The resources that a commit takes of its process, including garbage collection.
   *
   * @param cpuMicros user and system processor time
   * @param allocatedBytes the memory that all threads have allocated
   * @param switches the times that a thread stopped running
   */
  public record Costs(double cpuMicros, double allocatedBytes, ContextSwitches switches) {}

  /** Runs a round. */
  public static CommitRound run(CommitTarget target, int threads, int bodyBytes, long nanos)
      throws InterruptedException {
    List<Histogram> histograms = new ArrayList<>();
    List<Thread> running = new ArrayList<>();
    CountDownLatch start = new CountDownLatch(1);
    CountDownLatch finished = new CountDownLatch(threads);
    CountDownLatch counted = new CountDownLatch(1);
    long[] end = new long[1];
    AllocationMeter allocated = new AllocationMeter();
    for (int i = 0; i < threads; i++) {
      Histogram histogram = new Histogram(MAX_NANOS, 2);
      histograms.add(histogram);
      Thread thread =
          new Thread(
              () -> {
                awaitQuietly(start);
                try {
                  commitUntil(end[0], target, bodyBytes, histogram);
                  allocated.addCurrent();
                } finally {
                  finished.countDown();
                }
                awaitQuietly(counted); // the kernel's counts of a thread end with it
              });
      running.add(thread);
      thread.start();
    }
    ContextSwitches switchesBefore = ContextSwitches.ofThisProcess();
    allocated.begin();
    long syncsBefore = target.syncs();
    TraceMark.put();
    long cpuBeforeNanos = AllocationMeter.processCpuNanos();
    long begin = System.nanoTime();
    end[0] = begin + nanos;
    start.countDown();
    finished.await();
    long nanosTaken = System.nanoTime() - begin;
    long cpuTakenNanos = AllocationMeter.processCpuNanos() - cpuBeforeNanos;
    TraceMark.put();
    double syncs = syncsBefore < 0 ? Double.NaN : target.syncs() - syncsBefore;
    ContextSwitches switches = ContextSwitches.ofThisProcess().minus(switchesBefore);
    counted.countDown();
    for (Thread thread : running) {
      thread.join();
    }
    Histogram all = new Histogram(MAX_NANOS, 2);
    histograms.forEach(all::add);
    long count = all.getTotalCount();
    return new CommitRound(
        count,
        count * 1e9 / nanosTaken,
        all.getValueAtPercentile(50) / 1e3,
        all.getValueAtPercentile(99) / 1e3,
        syncs / count,
        new Costs(
            cpuTakenNanos / 1e3 / count, allocated.bytes() / (double) count, switches.per(count)));
  }

  private static void commitUntil(
      long endNanos, CommitTarget target, int bodyBytes, Histogram histogram) {
    byte[] body = new byte[bodyBytes];
    long nowNanos = System.nanoTime();
    while (nowNanos < endNanos) {
      target.commit(body);
      long laterNanos = System.nanoTime();
      histogram.recordValue(Math.min(laterNanos - nowNanos, MAX_NANOS));
      nowNanos = laterNanos;
    }
  }

  /** The same round with the costs of another process. */
  public CommitRound withCosts(Costs others) {
    return new CommitRound(commits, commitsPerSecond, p50Micros, p99Micros, syncsPerCommit, others);
  }

  /** Writes the figures as a line for another process. */
  String toLine() {
    return commits
        + DoubleStream.of(
                commitsPerSecond,
                p50Micros,
                p99Micros,
                syncsPerCommit,
                costs.cpuMicros,
                costs.allocatedBytes,
                costs.switches.voluntary(),
                costs.switches.involuntary())
            .mapToObj(String::valueOf)
            .collect(Collectors.joining(" ", " ", ""));
  }

  /** Reads the figures that {@link #toLine} has written. */
  static CommitRound ofLine(String line) {
    String[] words = line.split(" ", -1);
    double[] figures = Stream.of(words).skip(1).mapToDouble(Double::parseDouble).toArray();
    return new CommitRound(
        Long.parseLong(words[0]),
        figures[0],
        figures[1],
        figures[2],
        figures[3],
        new Costs(figures[4], figures[5], new ContextSwitches(figures[6], figures[7])));
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
