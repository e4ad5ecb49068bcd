package io.github.stablecut.replication;

import io.github.stablecut.error.DurationWords;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;

/**
 * Makes a store a data centre among others. The first one starts a group; others join it with an
 * empty directory:
 *
 * <pre>{@code
 * Stablecut.open(here, StoreOptions.defaults()
 *     .withReplication(Replication.tcp("0.0.0.0:7600")));
 *
 * Stablecut.open(there, StoreOptions.defaults()
 *     .withReplication(Replication.tcp("0.0.0.0:7600").join("frankfurt.example:7600")));
 * }</pre>
 *
 * <p>Immutable; each method returns a changed instance.
 *
 * @param listen the address on which this data centre listens, for TCP
 * @param advertised the address at which others reach it, if different
 * @param joins addresses of data centres to join with an empty directory, and at which to look for
 *     the other members of the group
 * @param tls the TLS context: connections are encrypted, and both sides authenticate with
 *     certificates
 * @param transport carries messages instead of TCP
 * @param around wraps the transport, such as with {@link LinkFaults}
 * @param maxLag the time after which a data centre that has not received the commits of others is
 *     detached; 1 s to 10,000 days
 * @param isReadOnly whether this data centre refuses commits
 */
public record Replication(
    Optional<String> listen,
    Optional<String> advertised,
    List<String> joins,
    Optional<SSLContext> tls,
    Optional<ReplicationTransport> transport,
    UnaryOperator<ReplicationTransport> around,
    Duration maxLag,
    boolean isReadOnly) {
  private static final Duration DEFAULT_MAX_LAG = Duration.ofDays(7);
  private static final Duration LONGEST_MAX_LAG = Duration.ofDays(10_000);

  /** Copies the list, and checks the ranges. */
  public Replication {
    joins = List.copyOf(joins);
    Objects.requireNonNull(around, "around");
    if (listen.isPresent() == transport.isPresent()) {
      throw new IllegalArgumentException(
          "replication needs either a listen address for TCP or a custom transport");
    }
    if (transport.isPresent() && !joins.isEmpty()) {
      throw new IllegalArgumentException(
          "a custom transport can't join a group: create the store with Stablecut.join");
    }
    if (maxLag.compareTo(Duration.ofSeconds(1)) < 0 || maxLag.compareTo(LONGEST_MAX_LAG) > 0) {
      throw new IllegalArgumentException(
          "maxLag must be 1 s to 10,000 days, not " + DurationWords.of(maxLag));
    }
  }

  /**
   * Replicates over TCP. Without {@link #withTls}, everyone who can connect can read everything,
   * and join as a data centre that writes: listen only in a trusted network.
   *
   * @param listen the address to listen on, such as {@code 0.0.0.0:7600} or {@code [::1]:7600};
   *     port 0 for any free port
   */
  public static Replication tcp(String listen) {
    return new Replication(
        Optional.of(listen),
        Optional.empty(),
        List.of(),
        Optional.empty(),
        Optional.empty(),
        UnaryOperator.identity(),
        DEFAULT_MAX_LAG,
        false);
  }

  /** Replicates over a custom transport, which is opened and closed with the store. */
  public static Replication over(ReplicationTransport transport) {
    return new Replication(
        Optional.empty(),
        Optional.empty(),
        List.of(),
        Optional.empty(),
        Optional.of(transport),
        UnaryOperator.identity(),
        DEFAULT_MAX_LAG,
        false);
  }

  /** Sets the address to listen on. */
  public Replication withListen(String address) {
    return new Replication(
        Optional.of(address), advertised, joins, tls, transport, around, maxLag, isReadOnly);
  }

  /**
   * Joins the group of a data centre, if the directory is empty or its store is empty. A store that
   * is already in the group also looks for other members there, in case all have moved. Can be
   * called repeatedly: the addresses are tried in turn.
   *
   * @param address an address such as {@code frankfurt.example:7600}
   */
  public Replication join(String address) {
    List<String> all = new ArrayList<>(joins);
    all.add(address);
    return new Replication(listen, advertised, all, tls, transport, around, maxLag, isReadOnly);
  }

  /**
   * Sets the address at which others reach this data centre, if it differs from the listen address,
   * such as behind a router. By default this is the listen address or, if that covers all addresses
   * of the machine, the machine's name.
   */
  public Replication withAdvertised(String address) {
    return new Replication(
        listen, Optional.of(address), joins, tls, transport, around, maxLag, isReadOnly);
  }

  /**
   * Encrypts connections with TLS. Both sides present certificates, and the context defines which
   * ones it trusts. The connecting side also verifies that the certificate matches the host it
   * connected to.
   */
  public Replication withTls(SSLContext context) {
    return new Replication(
        listen, advertised, joins, Optional.of(context), transport, around, maxLag, isReadOnly);
  }

  /** Wraps the transport, for demonstrations and tests. */
  public Replication through(UnaryOperator<ReplicationTransport> wrapper) {
    return new Replication(listen, advertised, joins, tls, transport, wrapper, maxLag, isReadOnly);
  }

  /** Sets the maximum lag. */
  public Replication withMaxLag(Duration lag) {
    return new Replication(listen, advertised, joins, tls, transport, around, lag, isReadOnly);
  }

  /**
   * Makes the data centre read-only: it refuses commits with {@link
   * io.github.stablecut.error.ReplicationRefusedException}, and otherwise works like any other data
   * centre, including relay. The setting applies to one opening: opened without it, the store
   * accepts commits.
   */
  public Replication readOnly() {
    return new Replication(listen, advertised, joins, tls, transport, around, maxLag, true);
  }
}
