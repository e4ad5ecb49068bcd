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
 * How a store is a data centre among others. The first one begins a group; others join it with an
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
 * <p>Immutable; each method returns a changed one.
 *
 * @param listen where this data centre listens, for TCP
 * @param advertised where others reach it, if not there
 * @param joins addresses of data centres to join with an empty directory, and to look for the
 *     others of the group
 * @param tls with it connections are encrypted, and both sides show certificates
 * @param transport carries messages instead of TCP
 * @param around what changes the transport, such as {@link LinkFaults}
 * @param maxLag a data centre that has not taken for so long what others have committed is
 *     detached, 1 s to 10,000 days
 * @param isReadOnly whether nothing is committed here
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

  /** Copies; checks the ranges. */
  public Replication {
    joins = List.copyOf(joins);
    Objects.requireNonNull(around, "around");
    if (listen.isPresent() == transport.isPresent()) {
      throw new IllegalArgumentException("either TCP or a transport of one's own");
    }
    if (transport.isPresent() && !joins.isEmpty()) {
      throw new IllegalArgumentException(
          "a transport of one's own can't join: make the store by Stablecut.join");
    }
    if (maxLag.compareTo(Duration.ofSeconds(1)) < 0 || maxLag.compareTo(LONGEST_MAX_LAG) > 0) {
      throw new IllegalArgumentException(
          "maxLag is 1 s to 10,000 days, not " + DurationWords.of(maxLag));
    }
  }

  /**
   * Over TCP. Without {@link #withTls} everybody who can connect can read everything and join, as a
   * data centre that writes: listen in a network that you trust.
   *
   * @param listen where to listen, such as {@code 0.0.0.0:7600}, {@code [::1]:7600}; port 0 for any
   *     that is free
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

  /** Over something else. The transport is opened and closed with the store. */
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

  /** Listens elsewhere. */
  public Replication withListen(String address) {
    return new Replication(
        Optional.of(address), advertised, joins, tls, transport, around, maxLag, isReadOnly);
  }

  /**
   * Joins the group of a data centre, if the directory is empty or has a store that nothing was
   * ever written to. A store that is in the group already looks for the others there too, in case
   * all have moved. May be called again: the addresses are tried in turn.
   *
   * @param address such as {@code frankfurt.example:7600}
   */
  public Replication join(String address) {
    List<String> all = new ArrayList<>(joins);
    all.add(address);
    return new Replication(listen, advertised, all, tls, transport, around, maxLag, isReadOnly);
  }

  /**
   * Tells others to reach this data centre elsewhere than where it listens, as behind a router.
   * Default: where it listens or, if that is every address of the machine, the machine's name.
   */
  public Replication withAdvertised(String address) {
    return new Replication(
        listen, Optional.of(address), joins, tls, transport, around, maxLag, isReadOnly);
  }

  /**
   * With TLS. Both sides show certificates, and the context says whom it trusts; who connects also
   * checks that the certificate is for the host that it has called.
   */
  public Replication withTls(SSLContext context) {
    return new Replication(
        listen, advertised, joins, Optional.of(context), transport, around, maxLag, isReadOnly);
  }

  /** With something around the transport, for demonstrations and tests. */
  public Replication through(UnaryOperator<ReplicationTransport> wrapper) {
    return new Replication(listen, advertised, joins, tls, transport, wrapper, maxLag, isReadOnly);
  }

  /** With another longest lag. */
  public Replication withMaxLag(Duration lag) {
    return new Replication(listen, advertised, joins, tls, transport, around, lag, isReadOnly);
  }

  /**
   * As a copy that is only read: commits are refused with {@link
   * io.github.stablecut.error.ReplicationRefusedException}, and all else is as at any other data
   * centre, relay included. A setting of each opening: opened without it, the store commits.
   */
  public Replication readOnly() {
    return new Replication(listen, advertised, joins, tls, transport, around, maxLag, true);
  }
}
