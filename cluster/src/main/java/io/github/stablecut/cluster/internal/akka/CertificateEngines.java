package io.github.stablecut.cluster.internal.akka;

import akka.remote.artery.tcp.ssl.PeerSubjectVerifier;
import io.github.stablecut.cluster.SettingsException;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.pem.PemFiles;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.log.Log;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.slf4j.Logger;
import scala.Option;

/**
 * Mutual TLS with the files of {@code cluster.tls}: a peer needs a certificate of the authority
 * that has a name in common with this node's. The files are read again every few minutes, so that
 * certificates can be renewed. Thread-safe.
 */
final class CertificateEngines extends MutualTls {
  private static final Logger LOG = Log.of(CertificateEngines.class);

  /** The time for which loaded files are used. */
  private static final Duration RELOAD = Duration.ofMinutes(5);

  private final NodeSettings.Tls files;
  private final TlsRefusals refusals;
  private final LongSupplier nanoTime;
  private volatile Loaded loaded;

  /**
   * The content of the files.
   *
   * @param own this node's certificate
   */
  private record Loaded(
      SSLContext context, X509Certificate own, PeerSubjectVerifier names, long atNanos) {}

  /**
   * Reads the files.
   *
   * @param nanoTime as {@link System#nanoTime}
   * @throws SettingsException if one can't be read
   */
  CertificateEngines(NodeSettings.Tls files, TlsRefusals refusals, LongSupplier nanoTime) {
    this.files = files;
    this.refusals = refusals;
    this.nanoTime = nanoTime;
    try {
      this.loaded = load();
    } catch (IOException e) {
      throw unreadable(IoReason.of(e), e);
    } catch (GeneralSecurityException e) {
      throw unreadable(String.valueOf(e.getMessage()), e);
    }
  }

  private SettingsException unreadable(String why, Exception cause) {
    return new SettingsException(
        "TLS between nodes can't be set up from %s, %s and %s: %s; all are PEM files, the key is PKCS#8 without a password"
            .formatted(files.certificate(), files.key(), files.authority(), why),
        cause);
  }

  private Loaded load() throws IOException, GeneralSecurityException {
    char[] password = new char[0]; // of the key store, which stays in memory
    List<X509Certificate> chain = PemFiles.certificates(files.certificate());
    X509Certificate own = chain.get(0);
    KeyStore keys = KeyStore.getInstance("PKCS12");
    keys.load(null, password);
    keys.setKeyEntry(
        "node",
        PemFiles.key(files.key(), own.getPublicKey().getAlgorithm()),
        password,
        chain.toArray(X509Certificate[]::new));
    KeyManagerFactory keyManagers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keyManagers.init(keys, password);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keyManagers.getKeyManagers(), new TrustManager[] {trust()}, null);
    return new Loaded(context, own, new PeerSubjectVerifier(own), nanoTime.getAsLong());
  }

  private PeerTrustManager trust() throws IOException, GeneralSecurityException {
    KeyStore authorities = KeyStore.getInstance("PKCS12");
    authorities.load(null, new char[0]);
    List<X509Certificate> all = PemFiles.certificates(files.authority());
    for (int i = 0; i < all.size(); i++) {
      authorities.setCertificateEntry("authority" + i, all.get(i));
    }
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(authorities);
    X509TrustManager trust = (X509TrustManager) factory.getTrustManagers()[0];
    return new PeerTrustManager(
        (chain, type, isServer) -> refusal(trust, chain, type, isServer),
        all.toArray(X509Certificate[]::new),
        refusals);
  }

  private Optional<String> refusal(
      X509TrustManager trust, X509Certificate[] chain, String type, boolean isServer) {
    try {
      if (isServer) {
        trust.checkServerTrusted(chain, type);
      } else {
        trust.checkClientTrusted(chain, type);
      }
      return Optional.empty();
    } catch (CertificateException e) {
      return Optional.of(
          "it has the certificate %s, which %s; if it is a node of this cluster, give it a certificate of that authority (cluster.tls in its settings)"
              .formatted(TlsRefusals.words(chain[0]), reason(chain[0])));
    }
  }

  private String reason(X509Certificate certificate) {
    try {
      certificate.checkValidity();
      return "is not issued by an authority in %s".formatted(files.authority());
    } catch (CertificateExpiredException e) {
      return "expired at %s".formatted(certificate.getNotAfter().toInstant());
    } catch (CertificateNotYetValidException e) {
      return "is not valid before %s".formatted(certificate.getNotBefore().toInstant());
    }
  }

  /** The content of the files; the old one if they can't be read again. */
  private Loaded current() {
    Loaded known = loaded;
    if (nanoTime.getAsLong() - known.atNanos < RELOAD.toNanos()) {
      return known;
    }
    synchronized (this) {
      if (loaded.atNanos == known.atNanos) {
        loaded = reload(known);
      }
      return loaded;
    }
  }

  private Loaded reload(Loaded known) {
    try {
      return load();
    } catch (IOException | GeneralSecurityException e) {
      LOG.warn(
          "the files of cluster.tls can't be read again, so the node continues to use the previous ones, until {}: {}",
          known.own.getNotAfter().toInstant(),
          String.valueOf(e.getMessage()));
      return new Loaded(known.context, known.own, known.names, nanoTime.getAsLong());
    }
  }

  @Override
  SSLEngine engine(String hostname, int port) {
    Loaded now = current();
    SSLEngine engine = now.context.createSSLEngine(hostname, port);
    engine.setEnabledProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
    return new AlertedEngine(engine, now.own, refusals);
  }

  /** Checks the name of a node that this one has contacted, once the handshake is complete. */
  @Override
  public Option<Throwable> verifyClientSession(String hostname, SSLSession session) {
    Option<Throwable> wrong = loaded.names.verifyClientSession(hostname, session);
    if (wrong.isDefined()) {
      refusals.refusedNode(
          "%s:%d".formatted(session.getPeerHost(), session.getPeerPort()), nameless(wrong));
    }
    return wrong;
  }

  /** Like {@link #verifyClientSession}, for a peer that has connected to this node. */
  @Override
  public Option<Throwable> verifyServerSession(String hostname, SSLSession session) {
    Option<Throwable> wrong = loaded.names.verifyServerSession(hostname, session);
    if (wrong.isDefined()) {
      refusals.refusedPeer(nameless(wrong));
    }
    return wrong;
  }

  private static String nameless(Option<Throwable> wrong) {
    return "its certificate has no name in common with this node's, such as DNS:stablecut-nodes (%s)"
        .formatted(wrong.get().getMessage());
  }
}
