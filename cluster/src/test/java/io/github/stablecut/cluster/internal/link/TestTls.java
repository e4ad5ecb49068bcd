package io.github.stablecut.cluster.internal.link;

import io.github.stablecut.cluster.internal.remote.NodeTls;
import io.github.stablecut.cluster.internal.secret.ClusterSecret;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.TrustManagerFactory;

/** Mutual TLS with a shared secret. */
final class TestTls implements NodeTls {
  private final SSLContext context;

  /** Further checks besides the handshake. */
  volatile Check check = isServer -> {};

  /** Checks the other end. */
  @FunctionalInterface
  interface Check {
    void run(boolean isServer) throws SSLException;
  }

  TestTls(Path secret) throws GeneralSecurityException, IOException {
    ClusterSecret read = ClusterSecret.of(secret);
    KeyStore keys = KeyStore.getInstance("PKCS12");
    keys.load(null, new char[0]);
    keys.setKeyEntry("node", read.key(), new char[0], new X509Certificate[] {read.certificate()});
    KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, new char[0]);
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, new char[0]);
    trusted.setCertificateEntry("node", read.certificate());
    TrustManagerFactory others =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    others.init(trusted);
    this.context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), others.getTrustManagers(), null);
  }

  SSLContext context() {
    return context;
  }

  @Override
  public SSLEngine client(String host, int port) {
    SSLEngine engine = context.createSSLEngine(host, port);
    engine.setUseClientMode(true);
    return engine;
  }

  @Override
  public SSLEngine server() {
    SSLEngine engine = context.createSSLEngine();
    engine.setUseClientMode(false);
    engine.setNeedClientAuth(true);
    return engine;
  }

  @Override
  public void check(String host, boolean isServer, SSLSession session) throws SSLException {
    check.run(isServer);
  }
}
