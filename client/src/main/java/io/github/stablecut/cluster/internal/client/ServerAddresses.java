package io.github.stablecut.cluster.internal.client;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses server addresses: a host name or IP address with an optional port. */
final class ServerAddresses {
  private static final int DEFAULT_PORT = 8087;
  private static final int MAX_PORT = 65_535;

  private static final Pattern SERVER =
      Pattern.compile("([^:@\\[\\]]+|\\[[^@\\[\\]]+\\])(?::([0-9]{1,5}))?");

  private ServerAddresses() {}

  /** Parses and resolves an address; empty if it is invalid or the host is unknown. */
  static Optional<InetSocketAddress> parse(String text) {
    try {
      return resolve(text);
    } catch (UnknownHostException e) {
      return Optional.empty();
    }
  }

  /**
   * Parses and resolves an address; empty if it is invalid.
   *
   * @throws UnknownHostException if the host is unknown; its message is the host
   */
  static Optional<InetSocketAddress> resolve(String text) throws UnknownHostException {
    Matcher parts = SERVER.matcher(text);
    if (!parts.matches()) {
      return Optional.empty();
    }
    int port = parts.group(2) == null ? DEFAULT_PORT : Integer.parseInt(parts.group(2));
    if (port < 1 || port > MAX_PORT) {
      return Optional.empty();
    }
    try {
      return Optional.of(new InetSocketAddress(InetAddress.getByName(parts.group(1)), port));
    } catch (UnknownHostException e) {
      throw new UnknownHostException(parts.group(1));
    }
  }
}
