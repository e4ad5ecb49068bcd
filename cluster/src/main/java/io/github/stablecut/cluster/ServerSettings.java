package io.github.stablecut.cluster;

import io.github.stablecut.error.DurationWords;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How a {@link Server} is started; {@link SettingsLoader} reads it. {@code reference.conf} says
 * what each setting means, and has the defaults. Immutable.
 *
 * @param data the store's directory
 * @param store how the store is opened; its executor is the server's
 * @param protocol the port for clients
 * @param operations the port for operators; empty for none
 * @param limits what clients may ask
 * @param threads how many there are
 * @param cluster the cluster that the store belongs to; empty if it is a store of its own
 * @param dataCentre how it is a data centre among others; empty if it exchanges nothing
 * @param secret the file with the token that orders to the port for operators need, created if it
 *     is missing; empty for the user's, {@code ~/.stablecut/cluster.secret}. A node of a cluster
 *     goes by the file of the cluster
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
   * What clients may ask.
   *
   * @param connections how many connections there may be, at least 1
   * @param idle after so long without a byte a connection is closed, at least 1 ms
   * @param request after so long a connection is closed that has sent a part of a request only, at
   *     least 1 ms
   * @param sizes of requests and answers
   * @param transactions how many may be open
   * @param shares what one client may take of the places for transactions, pins, scans and watches
   * @param dataCentreOrders whether any client may have this server connect to data centres, by
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
   * @param request how large a request may be, at most 1 GiB
   * @param response how large an answer may be, at most 1 GiB
   * @param largeRequests how much memory requests above 64 KiB may take together
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
   * The shares of one client of the places for each kind of handle: interactive transactions, pins,
   * scans, watches.
   *
   * @param connection of one connection, in percent, 1 to 100
   * @param address of all connections from one IP address (IPv6: /64 network), in percent, 1 to 100
   * @param user of all connections with certificates of one subject, in percent, 1 to 100
   * @param disconnected how long a handle is kept after the connection was closed that has used it
   *     last, at least 1 ms
   */
  public record Shares(int connection, int address, int user, Duration disconnected) {
    private static final int WHOLE = 100;

    /** Checks the ranges. */
    public Shares {
      checkShare("handles.share-per-connection", connection);
      checkShare("handles.share-per-address", address);
      checkShare("handles.share-per-user", user);
      check("handles.disconnected-timeout", disconnected);
    }

    private static void checkShare(String name, int percent) {
      if (percent < 1 || percent > WHOLE) {
        throw new SettingsException(name + " is 1 to 100 percent, not " + percent);
      }
    }
  }

  /**
   * How many interactive transactions may be open, and what they are certified for.
   *
   * @param perConnection of those that one connection began, at least 1
   * @param all of all, at least 1
   * @param idle after so long without a request one is aborted, at least 1 ms
   * @param certification what makes a commit of a client of AntidoteDB's protocol fail
   */
  public record Transactions(
      int perConnection, int all, Duration idle, Certification certification) {
    /** Those that certify what they have read and then updated. */
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
   * How many threads there are, and how long they may take to end.
   *
   * @param network for sockets, at least 1
   * @param workers for executing requests, at least 1
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

  /** These settings with another port for clients. */
  public ServerSettings withProtocol(Endpoint endpoint) {
    return new ServerSettings(
        data, store, endpoint, operations, limits, threads, cluster, dataCentre, secret);
  }

  /** These settings with another port for operators, or none. */
  public ServerSettings withOperations(Optional<Endpoint> endpoint) {
    return new ServerSettings(
        data, store, protocol, endpoint, limits, threads, cluster, dataCentre, secret);
  }

  /** These settings with other limits. */
  public ServerSettings withLimits(ClientLimits newLimits) {
    return new ServerSettings(
        data, store, protocol, operations, newLimits, threads, cluster, dataCentre, secret);
  }

  /** These settings with other options of the store. */
  public ServerSettings withStore(StoreOptions options) {
    return new ServerSettings(
        data, options, protocol, operations, limits, threads, cluster, dataCentre, secret);
  }

  /** These settings with other threads. */
  public ServerSettings withThreads(Threads newThreads) {
    return new ServerSettings(
        data, store, protocol, operations, limits, newThreads, cluster, dataCentre, secret);
  }

  /** These settings with another file of the token. */
  public ServerSettings withSecret(Path file) {
    return new ServerSettings(
        data, store, protocol, operations, limits, threads, cluster, dataCentre, Optional.of(file));
  }

  /** These settings as a data centre among others. */
  public ServerSettings withDataCentre(DataCentreSettings settings) {
    return new ServerSettings(
        data, store, protocol, operations, limits, threads, cluster, Optional.of(settings), secret);
  }

  /** These settings as a node of a cluster. */
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
