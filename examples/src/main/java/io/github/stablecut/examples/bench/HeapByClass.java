package io.github.stablecut.examples.bench;

import java.lang.management.ManagementFactory;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * The bytes of the live objects of each class, exactly as {@code jcmd GC.class_histogram} reports
 * them, without the collector's unused space. Immutable.
 */
record HeapByClass(Map<String, Long> bytes) {
  private static final Pattern LINE = Pattern.compile("\\s*\\d+:\\s+\\d+\\s+(\\d+)\\s+(\\S+).*");

  /** Collects garbage and measures the remaining objects. */
  static HeapByClass now() throws JMException {
    String histogram =
        (String)
            ManagementFactory.getPlatformMBeanServer()
                .invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                    "gcClassHistogram",
                    new Object[] {new String[0]},
                    new String[] {String[].class.getName()});
    Map<String, Long> bytes = new TreeMap<>();
    for (String line : histogram.split("\n", -1)) {
      Matcher matcher = LINE.matcher(line);
      if (matcher.matches()) {
        bytes.merge(matcher.group(2), Long.valueOf(matcher.group(1)), Long::sum);
      }
    }
    return new HeapByClass(bytes);
  }

  /** The difference in bytes from an earlier measurement. */
  long since(HeapByClass other) {
    return total() - other.total();
  }

  private long total() {
    return bytes.values().stream().mapToLong(Long::longValue).sum();
  }

  /** The classes whose objects take more bytes than before, largest first. */
  Stream<Map.Entry<String, Long>> grown(HeapByClass before) {
    return bytes.entrySet().stream()
        .map(
            entry ->
                Map.entry(
                    entry.getKey(),
                    entry.getValue() - before.bytes.getOrDefault(entry.getKey(), 0L)))
        .filter(entry -> entry.getValue() > 0)
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()));
  }
}
