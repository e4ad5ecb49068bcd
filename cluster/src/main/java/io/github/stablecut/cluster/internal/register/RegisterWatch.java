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
 * What whoever leads the register has told this node last of those that keep it. As text, the lists
 * are separated by semicolons, and names by commas, which no name has. Thread-safe.
 */
final class RegisterWatch {
  /** What was told before that long counts no more. */
  private static final long FRESH_NANOS = 12_000_000_000L;

  private record Told(List<List<String>> lists, long atNanos) {}

  private volatile Optional<Told> last = Optional.empty();

  private volatile boolean isSilent = true;

  /** How often somebody has told again after nobody had. */
  private final AtomicLong comebacks = new AtomicLong();

  static byte[] toBytes(List<List<String>> lists) {
    return lists.stream()
        .map(names -> String.join(",", names))
        .collect(Collectors.joining(";"))
        .getBytes(UTF_8);
  }

  /** Nobody has told when this node has asked. */
  void untold() {
    isSilent = true;
  }

  /** How often the register has answered again, or for the first time. */
  long comebacks() {
    return comebacks.get();
  }

  /** The leader has told. */
  void told(byte[] lists) {
    if (isSilent) {
      isSilent = false;
      long unused = comebacks.incrementAndGet();
    }
    last =
        Optional.of(
            new Told(
                Arrays.stream(new String(lists, UTF_8).split(";", -1))
                    .map(RegisterWatch::names)
                    .toList(),
                System.nanoTime()));
  }

  private static List<String> names(String list) {
    return list.isEmpty() ? List.of() : List.of(list.split(",", -1));
  }

  /**
   * What operators see.
   *
   * @param planned the nodes that are to keep it
   */
  RegisterLocation place(List<String> planned) {
    Optional<Told> known =
        last.filter(
            told -> told.lists.size() == 3 && System.nanoTime() - told.atNanos < FRESH_NANOS);
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

  /** The same, of a node whose own part is not open though it is to be. */
  static RegisterLocation without(RegisterLocation place, String own) {
    return place.missing().contains(own)
        ? place
        : new RegisterLocation(
            place.leader(),
            place.followers().stream().filter(one -> !one.equals(own)).toList(),
            place.silent().stream().filter(one -> !one.equals(own)).toList(),
            Stream.concat(place.missing().stream(), Stream.of(own)).toList(),
            place.surplus());
  }
}
