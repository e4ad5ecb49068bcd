package io.github.stablecut.cluster.internal.remote;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;

/** Mutual TLS between the nodes of a cluster. May read files. Thread-safe. */
public interface NodeTls {
  /** Returns the engine of a connection that this node opened. */
  SSLEngine client(String host, int port);

  /** Returns the engine of a connection that this node accepted. */
  SSLEngine server();

  /**
   * Checks the peer beyond what a handshake does.
   *
   * @param host the peer
   * @param isServer whether the peer accepted the connection
   * @throws SSLException if the peer is no node of the cluster
   */
  void check(String host, boolean isServer, SSLSession session) throws SSLException;
}
