package io.github.stablecut.cluster;

import java.util.Objects;
import java.util.Optional;

/**
 * A port to listen on. Immutable.
 *
 * @param bind an address of this machine, as a host name or an IP address
 * @param port 1 to 65,535; 0 for any free port
 * @param tls the certificate and key; empty for no TLS
 * @param insecure whether other machines may connect without TLS
 */
public record Endpoint(String bind, int port, Optional<TlsFiles> tls, boolean insecure) {
  private static final int MAX_PORT = 65_535;

  /** Checks the range. */
  public Endpoint {
    Objects.requireNonNull(bind, "bind");
    Objects.requireNonNull(tls, "tls");
    if (port < 0 || port > MAX_PORT) {
      throw new SettingsException(
          "a port is 0 to %d, not %d: 0 is any free port".formatted(MAX_PORT, port));
    }
  }

  /** A port that is reachable from this machine only. */
  public static Endpoint loopback(int port) {
    return new Endpoint("127.0.0.1", port, Optional.empty(), false);
  }
}
