package io.github.stablecut.cluster.internal.link;

import org.jspecify.annotations.Nullable;

/**
 * Where another node accepts links, as it has said.
 *
 * @param name the node's
 * @param address under which Akka reaches it, as {@code host:port}
 * @param host the host of that address
 * @param port for links
 * @param incarnation a random number of this run of the node
 */
record LinkAddress(String name, String address, String host, int port, long incarnation) {
  private static final int HEX = 16;

  /** How a node says where it accepts links: nothing if it does not. */
  static String said(int port, long incarnation) {
    return port + "/" + Long.toHexString(incarnation);
  }

  /** What a node has said, or null if it accepts no links. */
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
