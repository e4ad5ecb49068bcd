package io.github.stablecut.cluster;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** The resources that a process uses. */
final class ProcessUse {
  private static final String ANONYMOUS = "RssAnon:";
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final long MEASURED_NANOS = 1_000_000_000;

  private ProcessUse() {}

  /** Whether this machine reports the memory of a process. */
  static boolean isMemoryKnown() throws IOException {
    Path own = Path.of("/proc/self/status");
    return Files.exists(own) && Files.readString(own).contains(ANONYMOUS);
  }

  /** The bytes of its memory, without mapped files. */
  static long memory(long process) throws IOException {
    return Files.readAllLines(Path.of("/proc/" + process + "/status")).stream()
        .filter(line -> line.startsWith(ANONYMOUS))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
        .findFirst()
        .orElseThrow();
  }

  /**
   * The processor time that a process uses while a busy thread of this process gets one second, in
   * seconds: about 1 for each thread that loops, however busy the machine is.
   */
  static double processor(long process) {
    long begun = THREADS.getCurrentThreadCpuTime();
    Duration before = cpuTime(process);
    while (THREADS.getCurrentThreadCpuTime() - begun < MEASURED_NANOS) {
      Thread.onSpinWait();
    }
    return cpuTime(process).minus(before).toNanos() / (double) MEASURED_NANOS;
  }

  private static Duration cpuTime(long process) {
    return ProcessHandle.of(process)
        .flatMap(one -> one.info().totalCpuDuration())
        .orElse(Duration.ZERO);
  }
}
