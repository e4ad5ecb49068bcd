package io.github.stablecut.cluster;

import io.github.stablecut.error.DurationWords;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * The settings of a {@link Server}; {@link SettingsLoader} reads them. {@code reference.conf}
 * documents each setting and has the defaults. Immutable.
 *
 * @param data the store's directory
 * @param store the store's options; the server replaces their executor
 * @param protocol the port for clients
 * @param operations the admin port; empty for none
 * @param limits the limits for clients
 * @param threads the numbers of threads
 * @param cluster the cluster that the server is a node of; empty if it has a store of its own
 * @param dataCentre the settings of a data centre among others; empty if it replicates with none
 * @param secret the file with the admin token, created if missing; empty for the user's, {@code
 *     ~/.stablecut/cluster.secret}. A cluster node uses the file of its cluster instead
 */
public record ServerSettings(
    Path data,
    StoreOptions store,
    Endpoint protocol,
    Optional<Endpoint> operations,
    ClientLimits limits,
    Threads threads,
    Optional<ClusterSettings> cluster,
    Optional<DataCentreSettings> dataCentre,
    Optional<Path> secret) {
  /** Checks nulls. */
  public ServerSettings {
    Objects.requireNonNull(data, "data");
    Objects.requireNonNull(store, "store");
    Objects.requireNonNull(protocol, "protocol");
    Objects.requireNonNull(operations, "operations");
    Objects.requireNonNull(limits, "limits");
    Objects.requireNonNull(threads, "threads");
    Objects.requireNonNull(cluster, "cluster");
    Objects.requireNonNull(dataCentre, "dataCentre");
    Objects.requireNonNull(secret, "secret");
  }

  /**
   * The limits for clients.
   *
   * @param connections the maximum number of connections, at least 1
   * @param idle a connection that has sent nothing for this long is closed; at least 1 ms
   * @param request a connection that has not completed a request in this time is closed; at least 1
   *     ms
   * @param sizes the limits of requests and answers
   * @param transactions the limits of open transactions
   * @param shares how many of all transactions, pins, scans and watches one client may have
   * @param dataCentreOrders whether any client may make this server connect to data centres, by
   *     {@code ApbCreateDC} and {@code ApbConnectToDCs} of AntidoteDB's protocol
   */
  public record ClientLimits(
      int connections,
      Duration idle,
      Duration request,
      Sizes sizes,
      Transactions transactions,
      Shares shares,
      boolean dataCentreOrders) {
    /** Checks the ranges. */
    public ClientLimits {
      check("max-connections", connections);
      check("idle-timeout", idle);
      check("request-timeout", request);
    }
  }

  /**
   * Sizes in bytes, each at least 1.
   *
   * @param request the largest request, at most 1 GiB
   * @param response the largest answer, at most 1 GiB
   * @param largeRequests the memory for all requests above 64 KiB together
   */
  public record Sizes(long request, long response, long largeRequests) {
    /** Checks the ranges. */
    public Sizes {
      check("max-request-bytes", request);
      check("max-response-bytes", response);
      check("large-request-memory", largeRequests);
      if (request > 1 << 30 || response > 1 << 30) {
        throw new SettingsException(
            "max-request-bytes and max-response-bytes are at most 1 GiB, not %,d and %,d"
                .formatted(request, response));
      }
    }
  }

  /**
   * The maximum share of one client in each kind of handle: interactive transactions, pins, scans
   * and watches.
   *
   * @param connection the share of one connection, 1 to 100 percent
   * @param address the share of all connections from one IP address (IPv6: /64 network), 1 to 100
   *     percent
   * @param user the share of all connections with certificates of one subject, 1 to 100 percent
   * @param disconnected how long a handle stays after the connection that used it last was closed,
   *     at least 1 ms
   */
  public record Shares(int connection, int address, int user, Duration disconnected) {
    private static final int MAX_PERCENT = 100;

    /** Checks the ranges. */
    public Shares {
      checkShare("handles.share-per-connection", connection);
      checkShare("handles.share-per-address", address);
      checkShare("handles.share-per-user", user);
      check("handles.disconnected-timeout", disconnected);
    }

    private static void checkShare(String name, int percent) {
      if (percent < 1 || percent > MAX_PERCENT) {
        throw new SettingsException(name + " is 1 to 100 percent, not " + percent);
      }
    }
  }

  /**
   * The limits of open interactive transactions, and their certification.
   *
   * @param perConnection the maximum number that one connection began, at least 1
   * @param all the maximum number of all, at least 1
   * @param idle a transaction without a request for this long is aborted; at least 1 ms
   * @param certification the certification of commits by clients of AntidoteDB's protocol
   */
  public record Transactions(
      int perConnection, int all, Duration idle, Certification certification) {
    /** Limits with certification of the objects that a transaction read and then updated. */
    public Transactions(int perConnection, int all, Duration idle) {
      this(perConnection, all, idle, Certification.READ_THEN_UPDATED);
    }

    /** Checks the ranges. */
    public Transactions {
      check("transactions.max-per-connection", perConnection);
      check("transactions.max-open", all);
      check("transactions.idle-timeout", idle);
      Objects.requireNonNull(certification, "certification");
    }
  }

  /**
   * The numbers of threads, and the timeout at shutdown.
   *
   * @param network the threads for sockets, at least 1
   * @param workers the threads that execute requests, at least 1
   * @param shutdown how long a stopping server waits for its clients, at most 9 s
   */
  public record Threads(int network, int workers, Duration shutdown) {
    private static final Duration MAX_SHUTDOWN = Duration.ofSeconds(9);

    /** Checks the ranges. */
    public Threads {
      check("threads.network", network);
      check("threads.workers", workers);
      if (shutdown.isNegative() || shutdown.compareTo(MAX_SHUTDOWN) > 0) {
        throw new SettingsException(
            "shutdown-timeout is 0 to 9 s, not " + DurationWords.of(shutdown));
      }
    }
  }

  private static void check(String name, long number) {
    if (number < 1) {
      throw new SettingsException(name + " is at least 1, not " + number);
    }
  }

  private static void check(String name, Duration duration) {
    if (duration.compareTo(Duration.ofMillis(1)) < 0
        || duration.compareTo(Duration.ofDays(365)) > 0) {
      throw new SettingsException(name + " is 1 ms to 365 days, not " + DurationWords.of(duration));
    }
  }

  /** Returns these settings with another port for clients. */
  public ServerSettings withProtocol(Endpoint endpoint) {
    return new ServerSettings(
        data, store, endpoint, operations, limits, threads, cluster, dataCentre, secret);
  }

  /** Returns these settings with another admin port, or none. */
  public ServerSettings withOperations(Optional<Endpoint> endpoint) {
    return new ServerSettings(
        data, store, protocol, endpoint, limits, threads, cluster, dataCentre, secret);
  }

  /** Returns these settings with other limits. */
  public ServerSettings withLimits(ClientLimits newLimits) {
    return new ServerSettings(
        data, store, protocol, operations, newLimits, threads, cluster, dataCentre, secret);
  }

  /** Returns these settings with other options of the store. */
  public ServerSettings withStore(StoreOptions options) {
    return new ServerSettings(
        data, options, protocol, operations, limits, threads, cluster, dataCentre, secret);
  }

  /** Returns these settings with other numbers of threads. */
  public ServerSettings withThreads(Threads newThreads) {
    return new ServerSettings(
        data, store, protocol, operations, limits, newThreads, cluster, dataCentre, secret);
  }

  /** Returns these settings with another file for the admin token. */
  public ServerSettings withSecret(Path file) {
    return new ServerSettings(
        data, store, protocol, operations, limits, threads, cluster, dataCentre, Optional.of(file));
  }

  /** Returns these settings as a data centre among others. */
  public ServerSettings withDataCentre(DataCentreSettings settings) {
    return new ServerSettings(
        data, store, protocol, operations, limits, threads, cluster, Optional.of(settings), secret);
  }

  /** Returns these settings as a node of a cluster. */
  public ServerSettings withCluster(ClusterSettings settings) {
    return new ServerSettings(
        data,
        store,
        protocol,
        operations,
        limits,
        threads,
        Optional.of(settings),
        dataCentre,
        secret);
  }
}
