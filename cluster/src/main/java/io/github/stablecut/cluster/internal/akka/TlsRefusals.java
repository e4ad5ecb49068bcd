package io.github.stablecut.cluster.internal.akka;

import io.github.stablecut.log.Log;
import io.github.stablecut.log.LogLimit;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Reports handshakes with other nodes that fail because of a certificate: the log names the
 * certificate once a minute, with the number of such handshakes, and a node that waits for others
 * learns why. Thread-safe.
 */
final class TlsRefusals {
  private static final Logger LOG = Log.of(TlsRefusals.class);

  /** The time for which a refusal explains why a node waits: it retries more often. */
  private static final Duration RELEVANT = Duration.ofSeconds(15);

  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final LongSupplier nanoTime;
  private final LogLimit ofOthers;
  private final LogLimit ofThis;
  private volatile Optional<Refusal> latest = Optional.empty();

  /** A refusal by this node of another one that it contacted, or by that one. */
  private record Refusal(String words, long atNanos) {}

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  TlsRefusals(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.ofOthers = new LogLimit(1, MINUTE, nanoTime);
    this.ofThis = new LogLimit(1, MINUTE, nanoTime);
  }

  /** A peer's certificate, for messages. */
  static String words(X509Certificate certificate) {
    return "%s, issued by %s"
        .formatted(certificate.getSubjectX500Principal(), certificate.getIssuerX500Principal());
  }

  /** This node has refused a peer that connected to it. */
  void refusedPeer(String why) {
    ofOthers.ifAdmitted(
        more -> LOG.warn("refused a peer that connected to this node: {}{}", why, more));
  }

  /** This node has refused a node that it contacted. */
  void refusedNode(String address, String why) {
    String words = "the node at %s is refused: %s".formatted(address, why);
    latest = Optional.of(new Refusal(words, nanoTime.getAsLong()));
    ofOthers.ifAdmitted(more -> LOG.warn("{}{}", words, more));
  }

  /**
   * A peer has refused this node's certificate.
   *
   * @param peer describes the peer
   * @param own this node's certificate
   * @param isContacted whether this node has contacted the peer
   */
  void wasRefused(String peer, X509Certificate own, boolean isContacted) {
    String words =
        "%s has refused this node's certificate, %s: it has another authority or another secret; its log names the refused certificate"
            .formatted(peer, words(own));
    if (isContacted) {
      latest = Optional.of(new Refusal(words, nanoTime.getAsLong()));
    }
    ofThis.ifAdmitted(more -> LOG.warn("{}{}", words, more));
  }

  /**
   * Returns the reason why the node that was contacted last does not belong to this cluster, if a
   * certificate shows that.
   */
  Optional<String> latest() {
    return latest
        .filter(known -> nanoTime.getAsLong() - known.atNanos < RELEVANT.toNanos())
        .map(Refusal::words);
  }
}
