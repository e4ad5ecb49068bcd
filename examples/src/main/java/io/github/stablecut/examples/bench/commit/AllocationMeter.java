package io.github.stablecut.examples.bench.commit;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/**
 * The memory that the threads of this process allocate: threads that live from beginning to end,
 * and those that report when they end. Thread-safe.
 */
public final class AllocationMeter {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private final Map<Long, Long> atBegin = new HashMap<>();
  private final AtomicLong ended = new AtomicLong();

  /** The processor time that the process has used so far, in nanoseconds. */
  static long processCpuNanos() {
    return SYSTEM.getProcessCpuTime();
  }

  /** The bytes that all threads have allocated which have not ended. */
  static long ofLiveThreads() {
    return LongStream.of(THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds()))
        .filter(bytes -> bytes > 0)
        .sum();
  }

  /** Starts counting; to be called on the thread that reads the result. */
  public void begin() {
    long[] ids = THREADS.getAllThreadIds();
    long[] bytes = THREADS.getThreadAllocatedBytes(ids);
    for (int i = 0; i < ids.length; i++) {
      atBegin.put(ids[i], bytes[i]);
    }
  }

  /** Adds all that the current thread has allocated; it must have started after the count. */
  void addCurrent() {
    ended.addAndGet(THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()));
  }

  /** The bytes allocated so far. */
  public long bytes() {
    long sum = ended.get();
    long[] ids = atBegin.keySet().stream().mapToLong(Long::longValue).toArray();
    long[] bytes = THREADS.getThreadAllocatedBytes(ids);
    for (int i = 0; i < ids.length; i++) {
      sum += bytes[i] < 0 ? 0 : bytes[i] - atBegin.getOrDefault(ids[i], 0L);
    }
    return sum;
  }
}
