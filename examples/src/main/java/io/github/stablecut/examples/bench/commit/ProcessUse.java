package io.github.stablecut.examples.bench.commit;

import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * The resources that a process has used since its start. Immutable.
 *
 * @param cpuNanos user and system processor time
 * @param allocatedBytes the memory that its threads have allocated, without those that have ended
 * @param switches the times that a thread stopped running, without those that have ended
 */
public record ProcessUse(double cpuNanos, double allocatedBytes, ContextSwitches switches) {
  public static ProcessUse ofThisProcess() {
    return new ProcessUse(
        AllocationMeter.processCpuNanos(),
        AllocationMeter.ofLiveThreads(),
        ContextSwitches.ofThisProcess());
  }

  /** Writes the figures as a line for another process. */
  public String toLine() {
    return DoubleStream.of(cpuNanos, allocatedBytes, switches.voluntary(), switches.involuntary())
        .mapToObj(String::valueOf)
        .collect(Collectors.joining(" "));
  }

  /** Reads the figures that {@link #toLine} has written. */
  public static ProcessUse ofLine(String line) {
    double[] figures = Stream.of(line.split(" ", -1)).mapToDouble(Double::parseDouble).toArray();
    return new ProcessUse(figures[0], figures[1], new ContextSwitches(figures[2], figures[3]));
  }

  /** The sum of what two processes have used. */
  public ProcessUse plus(ProcessUse other) {
    return new ProcessUse(
        cpuNanos + other.cpuNanos,
        allocatedBytes + other.allocatedBytes,
        switches.plus(other.switches));
  }

  /** The costs of some operations. */
  public CommitRound.Costs since(ProcessUse before, long operations) {
    return new CommitRound.Costs(
        (cpuNanos - before.cpuNanos) / 1e3 / operations,
        (allocatedBytes - before.allocatedBytes) / operations,
        switches.minus(before.switches).per(operations));
  }
}
