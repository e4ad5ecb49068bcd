package io.github.stablecut.internal.thread;

import io.github.stablecut.log.Log;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;

/**
 * Records the failures that parts of a store, such as its threads, have survived, for its status.
 * Thread-safe.
 */
public final class FaultLog {
  private static final Logger LOG = Log.of(FaultLog.class);

  private record Fault(long count, String last) {}

  private final ConcurrentMap<String, Fault> byPart = new ConcurrentHashMap<>();

  /**
   * Records that a part has thrown an exception and continues. Logs a part's first, second, fourth,
   * eighth, … fault, so that a recurring fault does not fill the log. Does not throw, not even when
   * memory is exhausted.
   *
   * @param part the part's name in messages; there is a small number of parts
   */
  public void add(String part, Throwable thrown) {
    try {
      Fault fault = byPart.merge(part, new Fault(1, thrown.toString()), FaultLog::sum);
      if (Long.bitCount(fault.count) == 1) {
        LOG.error("{} failed {} and continues", part, times(fault.count), thrown);
      }
    } catch (Throwable e) {
      // Recording a fault takes memory, and there may be none.
    }
  }

  private static Fault sum(Fault before, Fault added) {
    return new Fault(before.count + added.count, added.last);
  }

  /** Describes the parts that have failed, one sentence each. */
  public List<String> describe() {
    return new TreeMap<>(byPart)
        .entrySet().stream()
            .map(
                entry ->
                    "%s failed %s and continues, last with %s: see the log"
                        .formatted(
                            entry.getKey(), times(entry.getValue().count), entry.getValue().last))
            .toList();
  }

  private static String times(long count) {
    return count == 1 ? "once" : "%,d times".formatted(count);
  }
}
