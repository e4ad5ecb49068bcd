package io.github.stablecut.cluster;

import io.github.stablecut.cluster.internal.admin.StartingHandler;
import io.github.stablecut.cluster.internal.network.Descriptors;
import io.github.stablecut.cluster.internal.network.EventLoops;
import io.github.stablecut.cluster.internal.network.HttpAccess;
import io.github.stablecut.cluster.internal.network.HttpServer;
import io.github.stablecut.cluster.internal.network.Listener;
import io.github.stablecut.cluster.internal.network.ListenerOptions;
import io.github.stablecut.cluster.internal.network.Tls;
import io.github.stablecut.cluster.internal.secret.ClusterSecret;
import io.github.stablecut.log.Log;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;

/**
 * What clients and operators of a server reach: taken before anything else is begun, served last.
 * Immutable; its parts are thread-safe.
 *
 * @param operations the port for operators, if there is one
 */
record ServerPorts(EventLoops loops, Listener listener, Optional<HttpServer> operations) {
  private static final Logger LOG = Log.of(ServerPorts.class);

  /**
   * After so long without 64 KiB of a large request, or without a byte of an answer being taken, a
   * connection is closed.
   */
  private static final Duration STALL = Duration.ofSeconds(10);

  /** A request or an answer is at most this part of the heap. */
  private static final int LARGEST_PART = 8;

  /**
   * All requests together are at most this part of the heap, or there is only one: from its message
   * to the journal, an update is in memory up to six times.
   */
  private static final int REQUESTS_PART = 16;

  /** So long operators are waited for, also if clients have used up the patience. */
  private static final Duration LEAST_PATIENCE = Duration.ofSeconds(1);

  /** Takes no more requests, and closes the connections once what has come is answered. */
  void close(Duration patience) {
    long begun = System.nanoTime();
    listener.close(patience.toNanos());
    Duration left = patience.minusNanos(System.nanoTime() - begun);
    Duration forOperators = left.compareTo(LEAST_PATIENCE) < 0 ? LEAST_PATIENCE : left;
    operations.ifPresent(port -> port.close(forOperators));
  }

  /** As many as the settings allow, unless the process may not have so many. */
  static int connections(int wanted) {
    int possible = Descriptors.connections(wanted);
    if (possible < wanted) {
      LOG.warn(
          "{} connections are allowed instead of {}: the process may not open more files; raise its"
              + " limit (ulimit -n), or lower max-connections",
          possible,
          wanted);
    }
    return possible;
  }

  /**
   * Opens the ports that settings name.
   *
   * @param connections how many clients may be connected
   * @throws SettingsException if they are unsafe
   * @throws io.github.stablecut.error.StablecutException if one can't be opened; then none is
   */
  static ServerPorts open(ServerSettings settings, int connections) {
    Optional<Tls> tls = tls(settings.protocol());
    InetSocketAddress address = address(settings.protocol(), "bind", "tls");
    Optional<InetSocketAddress> operators =
        settings.operations().map(port -> address(port, "operations.bind", ""));
    ServerSettings.ClientLimits limits = settings.limits();
    long heap = Runtime.getRuntime().maxMemory();
    long most = heap / LARGEST_PART;
    long together = limits.sizes().largeRequests();
    ListenerOptions options =
        new ListenerOptions(
            connections,
            limits.idle(),
            limits.request(),
            STALL,
            Math.min(most, limits.sizes().request()),
            Math.min(heap / REQUESTS_PART, together),
            Math.min(most, together));
    EventLoops loops = new EventLoops("stablecut-net", settings.threads().network());
    try {
      Optional<HttpServer> operations = operators.map(port -> operate(port, settings));
      try {
        return new ServerPorts(loops, new Listener(loops, address, options, tls), operations);
      } catch (RuntimeException e) {
        operations.ifPresent(port -> port.close(Duration.ZERO));
        throw e;
      }
    } catch (RuntimeException e) {
      loops.close();
      throw e;
    }
  }

  private static HttpServer operate(InetSocketAddress address, ServerSettings settings) {
    String bind = settings.operations().map(Endpoint::bind).orElse("");
    HttpAccess gate = new HttpAccess(address.getAddress(), bind, token(settings));
    return new HttpServer(address, gate, new StartingHandler());
  }

  /** What requests have to show that change something; empty if none may. */
  private static Optional<String> token(ServerSettings settings) {
    Optional<Path> said = settings.cluster().flatMap(ClusterSettings::secret).or(settings::secret);
    boolean isNeeded =
        said.isPresent() || settings.cluster().isPresent() || settings.dataCentre().isPresent();
    try {
      return Optional.of(ClusterSecret.of(said.orElseGet(ClusterSecret::userFile)).token());
    } catch (SettingsException e) {
      if (isNeeded) {
        throw e;
      }
      LOG.warn("nothing can be changed by the port for operators: {}", e.getMessage());
      return Optional.empty();
    }
  }

  private static Optional<Tls> tls(Endpoint endpoint) {
    return endpoint
        .tls()
        .map(files -> new Tls(files.certificate(), files.key(), files.clientAuthority()));
  }

  /**
   * Refuses what others could reach without being asked who they are.
   *
   * @param setting the setting that has the endpoint's address
   * @param tls the setting that would secure it; empty if there is none
   */
  static InetSocketAddress address(Endpoint endpoint, String setting, String tls) {
    InetAddress address;
    try {
      address = InetAddress.getByName(endpoint.bind());
    } catch (UnknownHostException e) {
      throw new SettingsException(
          "there is no address %s: name one of this machine as %s"
              .formatted(endpoint.bind(), setting),
          e);
    }
    if (!address.isLoopbackAddress() && endpoint.tls().isEmpty() && !endpoint.insecure()) {
      throw new SettingsException(
          "everybody who reaches %s could do everything without TLS%s: %sname 127.0.0.1 as %s, or say insecure = true in the settings file"
              .formatted(
                  endpoint.bind(),
                  tls.isEmpty() ? ", which this port does not have" : "",
                  tls.isEmpty() ? "" : "set " + tls + ", ",
                  setting));
    }
    return new InetSocketAddress(address, endpoint.port());
  }
}
