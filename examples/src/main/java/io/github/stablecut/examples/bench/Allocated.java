package io.github.stablecut.examples.bench;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the threads of this process allocate: those that live from the beginning to the end, and
 * those that say so when they end. Thread-safe.
 */
final class Allocated {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private final Map<Long, Long> atBegin = new HashMap<>();
  private final AtomicLong ended = new AtomicLong();

  /** The processor time that the process has taken so far, in nanoseconds. */
  static long processCpuNanos() {
    return SYSTEM.getProcessCpuTime();
  }

  /** Begins to count; on the thread that also asks. */
  void begin() {
    long[] ids = THREADS.getAllThreadIds();
    long[] bytes = THREADS.getThreadAllocatedBytes(ids);
    for (int i = 0; i < ids.length; i++) {
      atBegin.put(ids[i], bytes[i]);
    }
  }

  /** Counts all that the current thread has allocated, which began after or shortly before this. */
  void addCurrent() {
    ended.addAndGet(THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()));
  }

  /** The bytes so far. */
  long bytes() {
    long sum = ended.get();
    long[] ids = atBegin.keySet().stream().mapToLong(Long::longValue).toArray();
    long[] bytes = THREADS.getThreadAllocatedBytes(ids);
    for (int i = 0; i < ids.length; i++) {
      sum += bytes[i] < 0 ? 0 : bytes[i] - atBegin.getOrDefault(ids[i], 0L);
    }
    return sum;
  }
}
