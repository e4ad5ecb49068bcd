package io.github.stablecut.examples.bench.commit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * The figures of one round, in which threads commit one record after the other. Immutable.
 *
 * @param commitsPerSecond of all threads together
 * @param p50Micros the median latency
 * @param p99Micros the 99th percentile of the latency
 * @param syncsPerCommit below 1 where commits share a sync; NaN if unknown
 * @param costs the process's resources per commit
 */
public record CommitRound(
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
   */
  record Costs(double cpuMicros, double allocatedBytes) {}

  /** Runs a round. */
  public static CommitRound run(CommitTarget target, int threads, int bodyBytes, long nanos)
      throws InterruptedException {
    List<Histogram> histograms = new ArrayList<>();
    List<Thread> running = new ArrayList<>();
    CountDownLatch start = new CountDownLatch(1);
    long[] end = new long[1];
    Allocated allocated = new Allocated();
    for (int i = 0; i < threads; i++) {
      Histogram histogram = new Histogram(MAX_NANOS, 2);
      histograms.add(histogram);
      Thread thread =
          new Thread(
              () -> {
                awaitQuietly(start);
                commitUntil(end[0], target, bodyBytes, histogram);
                allocated.addCurrent();
              });
      running.add(thread);
      thread.start();
    }
    long syncsBefore = target.syncs();
    allocated.begin();
    long cpuBefore = Allocated.processCpuNanos();
    long begin = System.nanoTime();
    end[0] = begin + nanos;
    start.countDown();
    for (Thread thread : running) {
      thread.join();
    }
    long nanosTaken = System.nanoTime() - begin;
    long cpuTaken = Allocated.processCpuNanos() - cpuBefore;
    double syncs = syncsBefore < 0 ? Double.NaN : target.syncs() - syncsBefore;
    Histogram all = new Histogram(MAX_NANOS, 2);
    histograms.forEach(all::add);
    double count = all.getTotalCount();
    return new CommitRound(
        count * 1e9 / nanosTaken,
        all.getValueAtPercentile(50) / 1e3,
        all.getValueAtPercentile(99) / 1e3,
        syncs / count,
        new Costs(cpuTaken / 1e3 / count, allocated.bytes() / count));
  }

  private static void commitUntil(
      long end, CommitTarget target, int bodyBytes, Histogram histogram) {
    byte[] body = new byte[bodyBytes];
    long now = System.nanoTime();
    while (now < end) {
      target.commit(body);
      long later = System.nanoTime();
      histogram.recordValue(Math.min(later - now, MAX_NANOS));
      now = later;
    }
  }

  /** Writes the figures as a line for another process. */
  String toLine() {
    return Stream.of(
            commitsPerSecond,
            p50Micros,
            p99Micros,
            syncsPerCommit,
            costs.cpuMicros,
            costs.allocatedBytes)
        .map(String::valueOf)
        .collect(Collectors.joining(" "));
  }

  /** Reads the figures that {@link #toLine} has written. */
  static CommitRound ofLine(String line) {
    String[] words = line.split(" ", -1);
    return new CommitRound(
        Double.parseDouble(words[0]),
        Double.parseDouble(words[1]),
        Double.parseDouble(words[2]),
        Double.parseDouble(words[3]),
        new Costs(Double.parseDouble(words[4]), Double.parseDouble(words[5])));
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
