package io.github.stablecut.cluster.internal.register;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.cluster.RegisterLocation;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The last report of the register's leader about the keepers. As text, a report has lists separated
 * by semicolons, of names separated by commas; names contain neither. Thread-safe.
 */
final class RegisterWatch {
  /** The age at which a report is stale. */
  private static final long STALE_AFTER_NANOS = 12_000_000_000L;

  private record Report(List<List<String>> lists, long atNanos) {}

  private volatile Optional<Report> lastReport = Optional.empty();

  private volatile boolean isUnavailable = true;

  /** The number of reports that arrived after a failure or were the first. */
  private final AtomicLong recoveries = new AtomicLong();

  static byte[] toBytes(List<List<String>> lists) {
    return lists.stream()
        .map(names -> String.join(",", names))
        .collect(Collectors.joining(";"))
        .getBytes(UTF_8);
  }

  /** Records that no leader answered. */
  void recordFailure() {
    isUnavailable = true;
  }

  /** Returns the number of times that the register became available, including the first one. */
  long recoveries() {
    return recoveries.get();
  }

  /** Records a report of the leader. */
  void recordReport(byte[] lists) {
    if (isUnavailable) {
      isUnavailable = false;
      recoveries.incrementAndGet();
    }
    lastReport =
        Optional.of(
            new Report(
                Arrays.stream(new String(lists, UTF_8).split(";", -1))
                    .map(RegisterWatch::names)
                    .toList(),
                System.nanoTime()));
  }

  private static List<String> names(String list) {
    return list.isEmpty() ? List.of() : List.of(list.split(",", -1));
  }

  /**
   * The keepers, for administrators; unknown if the last report is stale.
   *
   * @param planned the planned keepers
   */
  RegisterLocation location(List<String> planned) {
    Optional<Report> known =
        lastReport.filter(
            report ->
                report.lists.size() == 3 && System.nanoTime() - report.atNanos < STALE_AFTER_NANOS);
    if (known.isEmpty()) {
      return RegisterLocation.unknown(planned);
    }
    List<List<String>> lists = known.get().lists;
    List<String> all = lists.stream().flatMap(List::stream).toList();
    return new RegisterLocation(
        lists.get(0).stream().findFirst().orElse(""),
        lists.get(1),
        lists.get(2),
        planned.stream().filter(one -> !all.contains(one)).toList(),
        all.stream().filter(one -> !planned.contains(one)).toList());
  }

  /** The same keepers, with a node as missing whose own part should be open but is not. */
  static RegisterLocation without(RegisterLocation location, String own) {
    return location.missing().contains(own)
        ? location
        : new RegisterLocation(
            location.leader(),
            location.followers().stream().filter(one -> !one.equals(own)).toList(),
            location.silent().stream().filter(one -> !one.equals(own)).toList(),
            Stream.concat(location.missing().stream(), Stream.of(own)).toList(),
            location.surplus());
  }
}
