package io.github.stablecut.cluster.internal.datacentre;

import io.github.stablecut.error.PrintableText;
import io.github.stablecut.error.ReplicationRefusedException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What others need to connect to a data centre, as text: {@code stablecut 9f86d081884c7d65
 * dublin.example:7400}. Immutable.
 *
 * @param store the id of its store, for people
 * @param address where it is reached
 */
record Descriptor(long store, String address) {
  /** What an error message shows of a text that is no descriptor, in characters. */
  static final int MAX_SHOWN = 100;

  private static final Pattern TEXT =
      Pattern.compile("stablecut ([0-9a-f]{16})(?: ([^\\s\\p{C}]{1,300}))?");

  /**
   * The descriptor of a text.
   *
   * @throws ReplicationRefusedException if it is none, or one of a server that listens for no data
   *     centres
   */
  static Descriptor parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      throw new ReplicationRefusedException(
          "no descriptor of a data centre of Stablecut: \"%s\"; ask each of them for its own"
              .formatted(PrintableText.of(text, MAX_SHOWN)));
    }
    if (matcher.group(2) == null) {
      throw new ReplicationRefusedException(
          "store %s listens for no other data centres: start its server with --dc-listen HOST:PORT (replication.listen), and ask it for its descriptor again"
              .formatted(matcher.group(1)));
    }
    return new Descriptor(Long.parseUnsignedLong(matcher.group(1), 16), matcher.group(2));
  }

  @Override
  public String toString() {
    return "stablecut %016x %s".formatted(store, address);
  }
}
