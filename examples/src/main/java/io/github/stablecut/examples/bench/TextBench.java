package io.github.stablecut.examples.bench;

import io.github.stablecut.examples.bench.commit.AllocationMeter;
import io.github.stablecut.examples.trace.LiveHeap;
import io.github.stablecut.examples.trace.Replay;
import io.github.stablecut.examples.trace.Replica;
import io.github.stablecut.examples.trace.Trace;
import io.github.stablecut.examples.trace.Trace.Transaction;
import io.github.stablecut.examples.trace.TraceReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Measures the text type without a store: each transaction of a trace becomes effects, which are
 * applied with their own commit time. In the end the texts are compared. {@code
 * examples/bench/text} compares this with Yjs and explains the columns.
 */
@Command(name = "text", description = "An editing trace through the text type alone")
final class TextBench implements Callable<Integer> {
  /** The source of the hybrid clock's times. */
  private enum Times {
    /** The times in the trace. */
    RECORDED,
    /** The times of a simulated typist: log-normal intervals with a median of 134 ms. */
    TYPING
  }

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final double LOG_MEDIAN_MILLIS = 4.9;
  private static final double LOG_SIGMA = 0.6;

  @Parameters(paramLabel = "FILE", description = "a trace of one author")
  private Path file = Path.of("");

  @Option(
      names = "--times",
      defaultValue = "RECORDED",
      description = "source of commit times: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE})")
  private Times times = Times.RECORDED;

  @Option(names = "--rounds", defaultValue = "6", description = "rounds (${DEFAULT-VALUE})")
  private int rounds;

  @Override
  public Integer call() throws IOException {
    Trace trace = TraceReader.read(file);
    if (times == Times.TYPING) {
      trace = typed(trace);
    }
    boolean ok = true;
    for (int round = 1; round <= rounds; round++) {
      ok &= measure(round, trace);
    }
    return ok ? 0 : 1;
  }

  private static Trace typed(Trace trace) {
    Random random = new Random(1);
    List<Transaction> transactions = new ArrayList<>();
    long epochMillis = trace.transactions().get(0).epochMillis();
    for (Transaction transaction : trace.transactions()) {
      epochMillis += Math.round(Math.exp(LOG_MEDIAN_MILLIS + LOG_SIGMA * random.nextGaussian()));
      transactions.add(
          new Transaction(
              transaction.agent(), transaction.parents(), epochMillis, transaction.patches()));
    }
    return new Trace(trace.agents(), transactions, trace.endContent());
  }

  private boolean measure(int round, Trace trace) {
    long before = LiveHeap.usedBytes();
    Replica replica = new Replica(0);
    AllocationMeter allocated = new AllocationMeter();
    allocated.begin();
    long cpuBeforeNanos = THREADS.getCurrentThreadCpuTime();
    Replay replay = Replay.on(replica, trace);
    double edits = replay.edits();
    double cpuPerEdit = (THREADS.getCurrentThreadCpuTime() - cpuBeforeNanos) / edits;
    double allocatedPerEdit = allocated.bytes() / edits;
    double gapBufferPerEdit = cpuOfGapBuffer(trace) / edits;
    long live;
    try {
      live = LiveHeap.usedBytes() - before;
    } finally {
      Reference.reachabilityFence(replay);
    }
    System.out.printf(
        Locale.ROOT,
        "stablecut,%s,%d,%.0f,%d,%d,%d,%.0f,%.0f,%.1f%n",
        times.name().toLowerCase(Locale.ROOT),
        round,
        replay.seconds() * 1000,
        live,
        replica.encodedBytes(),
        replica.encoded().length,
        allocatedPerEdit,
        cpuPerEdit,
        gapBufferPerEdit);
    replay.fault().ifPresent(System.err::println);
    return replay.fault().isEmpty();
  }

  /** The lower bound: the same edits of characters in one array, without earlier versions. */
  private static long cpuOfGapBuffer(Trace trace) {
    long beforeNanos = THREADS.getCurrentThreadCpuTime();
    GapBuffer text = new GapBuffer();
    for (Transaction transaction : trace.transactions()) {
      for (Trace.Patch patch : transaction.patches()) {
        text.replace(patch.position(), patch.deleted(), patch.inserted());
      }
    }
    long afterNanos = THREADS.getCurrentThreadCpuTime();
    if (!text.toString().equals(trace.endContent())) {
      throw new IllegalStateException("the gap buffer's text differs");
    }
    return afterNanos - beforeNanos;
  }
}
