package io.github.stablecut.cluster.internal.akka;

import akka.remote.artery.tcp.SSLEngineProvider;
import javax.net.ssl.SSLEngine;

/** Engines with which both ends of a connection authenticate each other. */
abstract class MutualTls implements SSLEngineProvider {
  /** Creates an engine with the keys and protocols of this node, for either end. */
  abstract SSLEngine engine(String hostname, int port);

  @Override
  public final SSLEngine createServerSSLEngine(String hostname, int port) {
    SSLEngine engine = engine(hostname, port);
    engine.setUseClientMode(false);
    engine.setNeedClientAuth(true);
    return engine;
  }

  @Override
  public final SSLEngine createClientSSLEngine(String hostname, int port) {
    SSLEngine engine = engine(hostname, port);
    engine.setUseClientMode(true);
    return engine;
  }
}
