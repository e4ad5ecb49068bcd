package io.github.stablecut.cluster;

import io.github.stablecut.error.DurationWords;
import io.github.stablecut.replication.Replication;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Settings of a server that is one of several data centres. Immutable.
 *
 * @param listen where it listens for other data centres, as {@code host:port}; port 0 for any free
 *     port
 * @param advertised where they reach it, if that differs from {@code listen}
 * @param joins data centres that a new store joins, as {@code host:port}
 * @param maxLag a data centre that has not received local commits for this long is detached
 * @param isReadOnly whether local commits are refused
 * @param tls secures the connections; the client authority has issued the certificates of all data
 *     centres
 * @param insecure whether other machines may connect without TLS
 */
public record DataCentreSettings(
    String listen,
    Optional<String> advertised,
    List<String> joins,
    Duration maxLag,
    boolean isReadOnly,
    Optional<TlsFiles> tls,
    boolean insecure) {
  /** Checks the addresses and the lag. */
  public DataCentreSettings {
    joins = List.copyOf(joins);
    checkAddress("replication.listen", listen);
    advertised.ifPresent(address -> checkAddress("replication.advertised", address));
    joins.forEach(address -> checkAddress("replication.join", address));
    if (maxLag.compareTo(Duration.ofSeconds(1)) < 0
        || maxLag.compareTo(Duration.ofDays(10_000)) > 0) {
      throw new SettingsException(
          "replication.max-lag is 1 s to 10,000 days, not " + DurationWords.of(maxLag));
    }
    if (tls.isPresent() && tls.get().clientAuthority().isEmpty()) {
      throw new SettingsException(
          "data centres authenticate each other by certificates: set replication.tls.client-authority too");
    }
  }

  /** A data centre that listens on the loopback interface only. */
  public static DataCentreSettings loopback(int port, String... joins) {
    return new DataCentreSettings(
        "127.0.0.1:" + port,
        Optional.empty(),
        List.of(joins),
        Duration.ofDays(7),
        false,
        Optional.empty(),
        false);
  }

  private static void checkAddress(String name, String address) {
    if (!address.matches("([^\\s:\\[\\]]+|\\[[^\\s\\]]+]):[0-9]{1,5}")) {
      throw new SettingsException(
          "%s is host:port, such as frankfurt.example:7400, not \"%s\"".formatted(name, address));
    }
  }

  /** The port for other data centres. */
  Endpoint endpoint() {
    int colon = listen.lastIndexOf(':');
    String host = listen.substring(0, colon);
    return new Endpoint(
        host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
        Integer.parseInt(listen.substring(colon + 1)),
        tls,
        insecure);
  }

  /** The same settings as options of a store, without TLS. */
  Replication replication() {
    Replication replication = Replication.tcp(listen).withMaxLag(maxLag);
    if (advertised.isPresent()) {
      replication = replication.withAdvertised(advertised.get());
    }
    for (String address : joins) {
      replication = replication.join(address);
    }
    return isReadOnly ? replication.readOnly() : replication;
  }
}
