package io.github.stablecut.cluster.internal.akka;

import io.github.stablecut.cluster.internal.secret.ClusterSecret;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.net.ssl.TrustManager;
import scala.Option;

/**
 * Mutual TLS with the cluster's secret: both peers hold the key that is derived from it, and accept
 * only the matching certificate. Thread-safe.
 */
final class SecretEngines extends MutualTls {
  private final SSLContext context;
  private final X509Certificate own;
  private final TlsRefusals refusals;

  SecretEngines(ClusterSecret secret, TlsRefusals refusals) {
    this.own = secret.certificate();
    this.refusals = refusals;
    PeerTrustManager trust =
        new PeerTrustManager(
            (chain, type, isServer) -> refusal(secret, chain), new X509Certificate[0], refusals);
    char[] password = new char[0]; // of the key store, which stays in memory
    try {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(null, password);
      keys.setKeyEntry(
          "node", secret.key(), password, new X509Certificate[] {secret.certificate()});
      KeyManagerFactory keyManagers =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keyManagers.init(keys, password);
      this.context = SSLContext.getInstance("TLS");
      context.init(keyManagers.getKeyManagers(), new TrustManager[] {trust}, null);
    } catch (GeneralSecurityException | java.io.IOException e) {
      throw new AssertionError("every Java runtime has TLS and in-memory key stores", e);
    }
  }

  @Override
  SSLEngine engine(String hostname, int port) {
    SSLEngine engine = context.createSSLEngine(hostname, port);
    engine.setEnabledProtocols(new String[] {"TLSv1.3"});
    engine.setEnabledCipherSuites(new String[] {"TLS_AES_128_GCM_SHA256"});
    return new AlertedEngine(engine, own, refusals);
  }

  /** Accepts every session, as the handshake has checked the certificates. */
  @Override
  public Option<Throwable> verifyClientSession(String hostname, SSLSession session) {
    return Option.empty();
  }

  @Override
  public Option<Throwable> verifyServerSession(String hostname, SSLSession session) {
    return Option.empty();
  }

  /**
   * Returns the reason why a peer does not hold the secret; TLS itself proves that it has the key.
   */
  private static Optional<String> refusal(ClusterSecret secret, X509Certificate[] chain) {
    if (chain.length > 0 && chain[0].equals(secret.certificate())) {
      return Optional.empty();
    }
    boolean isSecret =
        chain.length > 0
            && chain[0]
                .getSubjectX500Principal()
                .equals(secret.certificate().getSubjectX500Principal());
    if (chain.length == 0 || isSecret) {
      return Optional.of(
          "it has another secret than this cluster; if it is a node of this cluster, copy the file named by cluster.secret to its machine, or name that file with --secret FILE");
    }
    return Optional.of(
        "it has the certificate %s, so it uses cluster.tls, which is not set here; if it is a node of this cluster, start this process with a settings file that has cluster.tls (--config FILE)"
            .formatted(TlsRefusals.words(chain[0])));
  }
}
