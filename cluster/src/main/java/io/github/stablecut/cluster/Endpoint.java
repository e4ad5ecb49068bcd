package io.github.stablecut.cluster;

import java.util.Objects;
import java.util.Optional;

/**
 * A port. Immutable.
 *
 * @param bind the name or number of an address of this machine
 * @param port 1 to 65,535; 0 for any that is free
 * @param tls how it is secured; empty for not at all
 * @param insecure whether it may be reached from elsewhere although it is not secured
 */
public record Endpoint(String bind, int port, Optional<TlsFiles> tls, boolean insecure) {
  private static final int MAX_PORT = 65_535;

  /** Checks the range. */
  public Endpoint {
    Objects.requireNonNull(bind, "bind");
    Objects.requireNonNull(tls, "tls");
    if (port < 0 || port > MAX_PORT) {
      throw new SettingsException(
          "a port is 0 to %d, not %d: 0 is any that is free".formatted(MAX_PORT, port));
    }
  }

  /** A port that only this machine reaches. */
  public static Endpoint loopback(int port) {
    return new Endpoint("127.0.0.1", port, Optional.empty(), false);
  }
}
