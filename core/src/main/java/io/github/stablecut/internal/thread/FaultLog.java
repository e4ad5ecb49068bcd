package io.github.stablecut.internal.thread;

import io.github.stablecut.log.Log;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;

/** What parts of a store, such as its threads, have survived, for its status. Thread-safe. */
public final class FaultLog {
  private static final Logger LOG = Log.of(FaultLog.class);

  private record Fault(long count, String last) {}

  private final ConcurrentMap<String, Fault> byPart = new ConcurrentHashMap<>();

  /**
   * Records that a part has thrown something and goes on. Logs the first, second, fourth, eighth, …
   * of a part, so that a fault that comes again and again does not fill the log. Throws nothing,
   * not even for want of memory.
   *
   * @param part in words; there is a small number of them
   */
  public void add(String part, Throwable thrown) {
    try {
      Fault fault = byPart.merge(part, new Fault(1, thrown.toString()), FaultLog::sum);
      if (Long.bitCount(fault.count) == 1) {
        LOG.error("{} failed {} and goes on", part, times(fault.count), thrown);
      }
    } catch (Throwable e) {
      // To record a fault takes memory, and there may be none.
    }
  }

  private static Fault sum(Fault before, Fault added) {
    return new Fault(before.count + added.count, added.last);
  }

  /** One sentence per part that has failed; empty if none has. */
  public List<String> describe() {
    return new TreeMap<>(byPart)
        .entrySet().stream()
            .map(
                entry ->
                    "%s failed %s and goes on, last with %s: see the log"
                        .formatted(
                            entry.getKey(), times(entry.getValue().count), entry.getValue().last))
            .toList();
  }

  private static String times(long count) {
    return count == 1 ? "once" : "%,d times".formatted(count);
  }
}
