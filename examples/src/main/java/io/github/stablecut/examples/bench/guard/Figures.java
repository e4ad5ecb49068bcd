package io.github.stablecut.examples.bench.guard;

import io.github.stablecut.examples.bench.commit.CommitRound;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The figures of all series, by load, subject and column. All but the first column are per
 * operation. Confined to one thread.
 */
public final class Figures {
  /** The column that is not per operation, and better if it is higher. */
  public static final String SPEED = "operations_per_s";

  public static final String PROCESSOR_TIME = "cpu_us";
  public static final String ALLOCATION = "allocated_bytes";
  public static final String SYSTEM_CALLS = "system_calls";
  public static final String FUTEX_CALLS = "futex_calls";
  public static final String SYNCS = "syncs";
  public static final String VOLUNTARY_SWITCHES = "voluntary_switches";
  public static final String INVOLUNTARY_SWITCHES = "involuntary_switches";

  private final Map<Load, Map<String, Map<String, List<Double>>>> all = new LinkedHashMap<>();

  /** A bench with a number of threads. */
  public record Load(String bench, int threads) {
    @Override
    public String toString() {
      return "%s, %d %s".formatted(bench, threads, threads == 1 ? "thread" : "threads");
    }
  }

  /** The figures of a round. */
  static Map<String, Double> of(CommitRound round) {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put(SPEED, round.commitsPerSecond());
    figures.put(PROCESSOR_TIME, round.costs().cpuMicros());
    figures.put(ALLOCATION, round.costs().allocatedBytes());
    figures.put(VOLUNTARY_SWITCHES, round.costs().switches().voluntary());
    figures.put(INVOLUNTARY_SWITCHES, round.costs().switches().involuntary());
    return figures;
  }

  /** The figures of a round under strace. */
  static Map<String, Double> of(TracedCalls calls, long operations) {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put(SYSTEM_CALLS, calls.all() / (double) operations);
    figures.put(FUTEX_CALLS, calls.futex() / (double) operations);
    figures.put(SYNCS, calls.syncs() / (double) operations);
    return figures;
  }

  /** Adds what a subject did in the next series. */
  public void add(Load load, String subject, Map<String, Double> figures) {
    figures.forEach((column, figure) -> listOf(load, subject, column).add(figure));
  }

  private List<Double> listOf(Load load, String subject, String column) {
    return all.computeIfAbsent(load, key -> new LinkedHashMap<>())
        .computeIfAbsent(subject, key -> new LinkedHashMap<>())
        .computeIfAbsent(column, key -> new ArrayList<>());
  }

  /** The loads, in the order in which they were added. */
  public List<Load> loads() {
    return List.copyOf(all.keySet());
  }

  /** The columns of a subject. */
  public List<String> columns(Load load, String subject) {
    return List.copyOf(all.getOrDefault(load, Map.of()).getOrDefault(subject, Map.of()).keySet());
  }

  /** The median of a subject's figures; NaN without any. */
  public double median(Load load, String subject, String column) {
    return Interval.of(listOf(load, subject, column)).median();
  }

  /** The ratio of two subjects' figures, paired by series. */
  public Interval ratio(Load load, String subject, String other, String column) {
    List<Double> values = listOf(load, subject, column);
    List<Double> otherValues = listOf(load, other, column);
    return Interval.of(
        IntStream.range(0, Math.min(values.size(), otherValues.size()))
            .mapToObj(i -> values.get(i) / otherValues.get(i))
            .toList());
  }
}
