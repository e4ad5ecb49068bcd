package io.github.stablecut.cluster.internal.akka;

import akka.remote.artery.tcp.SSLEngineProvider;
import io.github.stablecut.cluster.internal.secret.ClusterSecret;
import io.github.stablecut.log.Log;
import io.github.stablecut.log.LogLimit;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.slf4j.Logger;
import scala.Option;

/**
 * Mutual TLS with the cluster's secret: both peers hold the key that is derived from it, and accept
 * only the matching certificate. Thread-safe.
 */
final class SecretEngines implements SSLEngineProvider {
  private static final Logger LOG = Log.of(SecretEngines.class);

  private final SSLContext context;

  SecretEngines(ClusterSecret secret) {
    char[] password = new char[0]; // of the key store, which stays in memory
    try {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(null, password);
      keys.setKeyEntry(
          "node", secret.key(), password, new X509Certificate[] {secret.certificate()});
      KeyManagerFactory own =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      own.init(keys, password);
      this.context = SSLContext.getInstance("TLS");
      context.init(own.getKeyManagers(), new TrustManager[] {new SecretTrustManager(secret)}, null);
    } catch (GeneralSecurityException | java.io.IOException e) {
      throw new AssertionError("every Java runtime has TLS and in-memory key stores", e);
    }
  }

  @Override
  public SSLEngine createServerSSLEngine(String hostname, int port) {
    SSLEngine engine = engine(hostname, port);
    engine.setUseClientMode(false);
    engine.setNeedClientAuth(true);
    return engine;
  }

  @Override
  public SSLEngine createClientSSLEngine(String hostname, int port) {
    SSLEngine engine = engine(hostname, port);
    engine.setUseClientMode(true);
    return engine;
  }

  private SSLEngine engine(String hostname, int port) {
    SSLEngine engine = context.createSSLEngine(hostname, port);
    engine.setEnabledProtocols(new String[] {"TLSv1.3"});
    engine.setEnabledCipherSuites(new String[] {"TLS_AES_128_GCM_SHA256"});
    return engine;
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

  /** Trusts the holders of the secret. TLS itself proves that a peer has the key. */
  private static final class SecretTrustManager extends X509ExtendedTrustManager {
    private final ClusterSecret secret;
    private final LogLimit limit =
        new LogLimit(1, java.time.Duration.ofMinutes(1), System::nanoTime);

    SecretTrustManager(ClusterSecret secret) {
      this.secret = secret;
    }

    private void check(X509Certificate[] chain, String who) throws CertificateException {
      if (chain.length == 0 || !chain[0].equals(secret.certificate())) {
        limit.ifAdmitted(
            more ->
                LOG.warn(
                    "refused {}, which has another secret than this cluster: if it is a node of this"
                        + " cluster, copy the file named by cluster.secret to its machine{}",
                    who,
                    more));
        throw new CertificateException("the peer has another secret than this cluster");
      }
    }

    private void checkClient(X509Certificate[] chain) throws CertificateException {
      check(chain, "a peer that connected to this node");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      checkClient(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      checkClient(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      checkClient(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      check(chain, "a node");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      check(chain, "a node");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      check(chain, "the node at %s:%d".formatted(engine.getPeerHost(), engine.getPeerPort()));
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
