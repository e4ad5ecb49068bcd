package io.github.stablecut.cluster.internal.akka;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/** Accepts or refuses the certificates of other nodes, and reports refusals. Thread-safe. */
final class PeerTrustManager extends X509ExtendedTrustManager {
  /** Judges certificates. */
  @FunctionalInterface
  interface Judge {
    /**
     * Returns the reason why a certificate is refused; empty if it is accepted.
     *
     * @param isServer whether the peer accepted the connection
     */
    Optional<String> refusal(X509Certificate[] chain, String type, boolean isServer);
  }

  private final Judge judge;
  private final X509Certificate[] issuers;
  private final TlsRefusals refusals;

  /**
   * @param issuers the accepted authorities; may be empty
   */
  PeerTrustManager(Judge judge, X509Certificate[] issuers, TlsRefusals refusals) {
    this.judge = judge;
    this.issuers = issuers.clone();
    this.refusals = refusals;
  }

  private void checkClient(X509Certificate[] chain, String type) throws CertificateException {
    Optional<String> refusal = judge.refusal(chain, type, false);
    if (refusal.isPresent()) {
      refusals.refusedPeer(refusal.get());
      throw new CertificateException(refusal.get());
    }
  }

  private void checkServer(X509Certificate[] chain, String type, String address)
      throws CertificateException {
    Optional<String> refusal = judge.refusal(chain, type, true);
    if (refusal.isPresent()) {
      refusals.refusedNode(address, refusal.get());
      throw new CertificateException(refusal.get());
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    checkClient(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    checkClient(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    checkClient(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    checkServer(chain, type, "an unknown address");
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    checkServer(chain, type, String.valueOf(socket.getRemoteSocketAddress()));
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    checkServer(chain, type, "%s:%d".formatted(engine.getPeerHost(), engine.getPeerPort()));
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return issuers.clone();
  }
}
