package io.github.stablecut.cluster.internal.akka;

import akka.remote.artery.tcp.SSLEngineProvider;
import io.github.stablecut.cluster.internal.remote.NodeTls;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import scala.Option;

/**
 * TLS with the keys of Akka's port. Thread-safe.
 *
 * @param engines the engines of Akka's port
 * @param host this node's address
 */
record ProvidedTls(SSLEngineProvider engines, String host) implements NodeTls {
  @Override
  public SSLEngine client(String to, int port) {
    return engines.createClientSSLEngine(to, port);
  }

  @Override
  public SSLEngine server() {
    return engines.createServerSSLEngine(host, 0);
  }

  @Override
  public void check(String peer, boolean isServer, SSLSession session) throws SSLException {
    // Akka names the methods after the verifying end: a client verifies the session with a server.
    Option<Throwable> wrong =
        isServer
            ? engines.verifyClientSession(peer, session)
            : engines.verifyServerSession(peer, session);
    if (wrong.isDefined()) {
      throw new SSLException(String.valueOf(wrong.get().getMessage()), wrong.get());
    }
  }
}
