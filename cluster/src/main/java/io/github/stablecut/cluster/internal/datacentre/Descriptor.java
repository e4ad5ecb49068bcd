package io.github.stablecut.cluster.internal.datacentre;

import io.github.stablecut.error.PrintableText;
import io.github.stablecut.error.ReplicationRefusedException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text that others need to connect to a data centre, such as {@code stablecut 9f86d081884c7d65
 * dublin.example:7400}. Immutable.
 *
 * @param store the id of its store, for people
 * @param address the address at which it is reached
 */
record Descriptor(long store, String address) {
  /** The number of characters of an invalid descriptor that an error message shows. */
  static final int MAX_SHOWN = 100;

  private static final Pattern TEXT =
      Pattern.compile("stablecut ([0-9a-f]{16})(?: ([^\\s\\p{C}]{1,300}))?");

  /**
   * Parses a descriptor.
   *
   * @throws ReplicationRefusedException if it is malformed, or its server does not listen for data
   *     centres
   */
  static Descriptor parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      throw new ReplicationRefusedException(
          "not a descriptor of a Stablecut data centre: \"%s\"; request one from each data centre"
              .formatted(PrintableText.of(text, MAX_SHOWN)));
    }
    if (matcher.group(2) == null) {
      throw new ReplicationRefusedException(
          "store %s does not listen for other data centres: start its server with --dc-listen HOST:PORT (replication.listen), and request its descriptor again"
              .formatted(matcher.group(1)));
    }
    return new Descriptor(Long.parseUnsignedLong(matcher.group(1), 16), matcher.group(2));
  }

  @Override
  public String toString() {
    return "stablecut %016x %s".formatted(store, address);
  }
}
