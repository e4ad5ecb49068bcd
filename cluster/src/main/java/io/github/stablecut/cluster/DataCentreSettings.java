package io.github.stablecut.cluster;

import io.github.stablecut.error.DurationWords;
import io.github.stablecut.replication.Replication;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How a server is a data centre among others. Immutable.
 *
 * @param listen where it listens for the others, as {@code host:port}; port 0 for any that is free
 * @param advertised where they reach it, if not there
 * @param joins data centres that a new store joins, as {@code host:port}
 * @param maxLag one that has not taken for so long what was committed here is detached
 * @param isReadOnly whether nothing is committed here
 * @param tls how connections are secured; all data centres' certificates are of the client
 *     authority
 * @param insecure whether others may reach it although it is not secured
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
          "data centres ask each other for certificates: say replication.tls.client-authority too");
    }
  }

  /** One that listens on this machine, and joins others there. */
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

  /** Where it listens. */
  Endpoint endpoint() {
    int colon = listen.lastIndexOf(':');
    String host = listen.substring(0, colon);
    return new Endpoint(
        host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
        Integer.parseInt(listen.substring(colon + 1)),
        tls,
        insecure);
  }

  /** The same as options of a store, without TLS. */
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
