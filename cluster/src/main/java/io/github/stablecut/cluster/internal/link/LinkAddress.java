package io.github.stablecut.cluster.internal.link;

import org.jspecify.annotations.Nullable;

/**
 * The data port of a run of another node, as it announced.
 *
 * @param name the node's name
 * @param address its Akka address, as {@code host:port}
 * @param host the host of that address
 * @param port the data port
 * @param incarnation a random number that identifies the run of the node's process
 */
record LinkAddress(String name, String address, String host, int port, long incarnation) {
  private static final int HEX = 16;

  /** Encodes an announcement. */
  static String said(int port, long incarnation) {
    return port + "/" + Long.toHexString(incarnation);
  }

  /** Decodes an announcement; null if the node has no data port yet. */
  static @Nullable LinkAddress of(String name, String address, String said) {
    int slash = said.indexOf('/');
    int colon = address.lastIndexOf(':');
    if (slash < 0 || colon < 0) {
      return null;
    }
    try {
      String host = address.substring(0, colon);
      return new LinkAddress(
          name,
          address,
          host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
          Integer.parseInt(said.substring(0, slash)),
          Long.parseUnsignedLong(said.substring(slash + 1), HEX));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
