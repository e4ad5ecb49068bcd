package io.github.stablecut.cluster;

import io.github.stablecut.cluster.ServerSettings.ClientLimits;
import io.github.stablecut.cluster.ServerSettings.Shares;
import io.github.stablecut.cluster.ServerSettings.Sizes;
import io.github.stablecut.cluster.ServerSettings.Transactions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Settings of servers in tests: any free port on this machine, and no admin port. */
final class Settings {
  private Settings() {}

  static ServerSettings of(Path data) {
    return SettingsLoader.defaults(data)
        .withProtocol(Endpoint.loopback(0))
        .withOperations(Optional.empty());
  }

  static ServerSettings connections(ServerSettings settings, int connections, Duration idle) {
    ClientLimits limits = settings.limits();
    return settings.withLimits(
        new ClientLimits(
            connections,
            idle,
            limits.request(),
            limits.sizes(),
            limits.transactions(),
            limits.shares(),
            limits.dataCentreOrders()));
  }

  static ServerSettings requests(ServerSettings settings, Duration request) {
    ClientLimits limits = settings.limits();
    return settings.withLimits(
        new ClientLimits(
            limits.connections(),
            limits.idle(),
            request,
            limits.sizes(),
            limits.transactions(),
            limits.shares(),
            limits.dataCentreOrders()));
  }

  static ServerSettings sizes(ServerSettings settings, Sizes sizes) {
    ClientLimits limits = settings.limits();
    return settings.withLimits(
        new ClientLimits(
            limits.connections(),
            limits.idle(),
            limits.request(),
            sizes,
            limits.transactions(),
            limits.shares(),
            limits.dataCentreOrders()));
  }

  static ServerSettings transactions(ServerSettings settings, Transactions transactions) {
    ClientLimits limits = settings.limits();
    return settings.withLimits(
        new ClientLimits(
            limits.connections(),
            limits.idle(),
            limits.request(),
            limits.sizes(),
            transactions,
            limits.shares(),
            limits.dataCentreOrders()));
  }

  static ServerSettings shares(ServerSettings settings, Shares shares) {
    ClientLimits limits = settings.limits();
    return settings.withLimits(
        new ClientLimits(
            limits.connections(),
            limits.idle(),
            limits.request(),
            limits.sizes(),
            limits.transactions(),
            shares,
            limits.dataCentreOrders()));
  }

  /** Permits commands about data centres to any client of AntidoteDB's protocol. */
  static ServerSettings dataCentreOrders(ServerSettings settings) {
    ClientLimits limits = settings.limits();
    return settings.withLimits(
        new ClientLimits(
            limits.connections(),
            limits.idle(),
            limits.request(),
            limits.sizes(),
            limits.transactions(),
            limits.shares(),
            true));
  }
}
