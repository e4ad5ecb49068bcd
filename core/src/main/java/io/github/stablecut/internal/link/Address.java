package io.github.stablecut.internal.link;

import io.github.stablecut.error.PrintableText;
import java.net.InetSocketAddress;

/**
 * The address at which a data centre listens or is reached. Immutable.
 *
 * @param host a host name or an IP address; IPv6 addresses without brackets
 * @param port 0 to 65535; 0 for any free port
 */
public record Address(String host, int port) {
  /** Checks the range. */
  public Address {
    if (host.isEmpty() || port < 0 || port > 65_535) {
      throw new IllegalArgumentException("not an address: " + host + ":" + port);
    }
  }

  /**
   * Parses an address.
   *
   * @throws IllegalArgumentException if the text is not an address
   */
  public static Address parse(String text) {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? "" : text.substring(0, colon);
    boolean isBracketed = host.startsWith("[") && host.endsWith("]");
    if (isBracketed) {
      host = host.substring(1, host.length() - 1);
    }
    String port = colon < 0 ? "" : text.substring(colon + 1);
    if (host.isEmpty()
        || (!isBracketed && host.contains(":"))
        || !host.matches("[^\\s\\p{C}]+")
        || !port.matches("[0-9]{1,5}")) {
      throw new IllegalArgumentException(
          "not an address: \"%s\": such as frankfurt.example:7600 or [::1]:7600"
              .formatted(PrintableText.of(text, 100)));
    }
    return new Address(host, Integer.parseInt(port));
  }

  InetSocketAddress resolved() {
    return new InetSocketAddress(host, port);
  }

  @Override
  public String toString() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
