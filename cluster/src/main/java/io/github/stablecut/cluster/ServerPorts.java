package io.github.stablecut.cluster;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
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
 * The ports of a server: opened before anything else starts, and served last. Immutable; its
 * components are thread-safe.
 *
 * @param operations the admin port, if there is one
 */
record ServerPorts(EventLoops loops, Listener listener, Optional<HttpServer> operations) {
  private static final Logger LOG = Log.of(ServerPorts.class);

  /**
   * A connection is closed if it takes longer than this to send 64 KiB of a large request, or to
   * accept a byte of an answer.
   */
  private static final Duration STALL = Duration.ofSeconds(10);

  /** The largest request or answer is the heap divided by this. */
  private static final int MESSAGE_HEAP_DIVISOR = 8;

  /**
   * All large requests together occupy at most the heap divided by this, unless there is only one:
   * between its message and the journal, an update is in memory up to six times.
   */
  private static final int REQUESTS_HEAP_DIVISOR = 16;

  /**
   * The least time that the admin port has for closing, even if clients took all of the timeout.
   */
  private static final Duration MIN_ADMIN_TIMEOUT = Duration.ofSeconds(1);

  /** Stops accepting requests, and closes the connections once the received ones are answered. */
  void close(Duration timeout) {
    long startedNanos = System.nanoTime();
    listener.close(timeout.toNanos());
    Duration left = timeout.minusNanos(System.nanoTime() - startedNanos);
    Duration forAdmin = left.compareTo(MIN_ADMIN_TIMEOUT) < 0 ? MIN_ADMIN_TIMEOUT : left;
    operations.ifPresent(port -> port.close(forAdmin));
  }

  /** The configured number of connections, or fewer if the process may not open so many files. */
  static int connections(int requested) {
    int possible = Descriptors.connections(requested);
    if (possible < requested) {
      LOG.warn(
          "the limit of connections is {} instead of {}, as the process may not open more files; raise its limit (ulimit -n), or lower max-connections",
          possible,
          requested);
    }
    return possible;
  }

  /**
   * Opens the ports that the settings name.
   *
   * @param connections the maximum number of client connections
   * @throws SettingsException if the settings are unsafe
   * @throws io.github.stablecut.error.StablecutException if one can't be opened; then none is
   */
  static ServerPorts open(ServerSettings settings, int connections) {
    Optional<Tls> tls = tls(settings.protocol());
    InetSocketAddress address = requireSafe(settings.protocol(), "bind", "tls");
    Optional<InetSocketAddress> admin =
        settings.operations().map(port -> requireSafe(port, "operations.bind", ""));
    ServerSettings.ClientLimits limits = settings.limits();
    long heap = Runtime.getRuntime().maxMemory();
    long maxMessage = heap / MESSAGE_HEAP_DIVISOR;
    long together = limits.sizes().largeRequests();
    ListenerOptions options =
        new ListenerOptions(
            connections,
            limits.idle(),
            limits.request(),
            STALL,
            Math.min(maxMessage, limits.sizes().request()),
            Math.min(heap / REQUESTS_HEAP_DIVISOR, together),
            Math.min(maxMessage, together));
    EventLoops loops = new EventLoops("stablecut-net", settings.threads().network());
    try {
      Optional<HttpServer> operations = admin.map(port -> openAdminPort(port, settings));
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

  private static HttpServer openAdminPort(InetSocketAddress address, ServerSettings settings) {
    String bind = settings.operations().map(Endpoint::bind).orElse("");
    HttpAccess gate = new HttpAccess(address.getAddress(), bind, token(settings));
    return new HttpServer(address, gate, new StartingHandler());
  }

  /** The admin token, which requests for changes have to carry; empty if the port allows none. */
  private static Optional<String> token(ServerSettings settings) {
    Optional<Path> configured =
        settings.cluster().flatMap(ClusterSettings::secret).or(settings::secret);
    boolean isRequired =
        configured.isPresent()
            || settings.cluster().isPresent()
            || settings.dataCentre().isPresent();
    try {
      return Optional.of(ClusterSecret.of(configured.orElseGet(ClusterSecret::userFile)).token());
    } catch (SettingsException e) {
      if (isRequired) {
        throw e;
      }
      LOG.warn("the admin port refuses changes: {}", e.getMessage());
      return Optional.empty();
    }
  }

  private static Optional<Tls> tls(Endpoint endpoint) {
    return endpoint
        .tls()
        .map(files -> new Tls(files.certificate(), files.key(), files.clientAuthority()));
  }

  /**
   * Refuses an endpoint that other machines could reach without authentication.
   *
   * @param setting the setting with the endpoint's address
   * @param tls the setting that would secure it; empty if there is none
   * @return the resolved address
   */
  @CanIgnoreReturnValue
  static InetSocketAddress requireSafe(Endpoint endpoint, String setting, String tls) {
    InetAddress address;
    try {
      address = InetAddress.getByName(endpoint.bind());
    } catch (UnknownHostException e) {
      throw new SettingsException(
          "there is no address %s: set %s to an address of this machine"
              .formatted(endpoint.bind(), setting),
          e);
    }
    if (!address.isLoopbackAddress() && endpoint.tls().isEmpty() && !endpoint.insecure()) {
      throw new SettingsException(
          "anyone who reaches %s would have full access without TLS%s: %sset %s to 127.0.0.1, or set insecure = true in the settings file"
              .formatted(
                  endpoint.bind(),
                  tls.isEmpty() ? ", which this port does not have" : "",
                  tls.isEmpty() ? "" : "set " + tls + ", ",
                  setting));
    }
    return new InetSocketAddress(address, endpoint.port());
  }
}
