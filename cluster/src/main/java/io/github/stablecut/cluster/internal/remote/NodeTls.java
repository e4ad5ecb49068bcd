package io.github.stablecut.cluster.internal.remote;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;

/** Mutual TLS between the nodes of a cluster. May read files. Thread-safe. */
public interface NodeTls {
  /** The end of a connection that was begun here. */
  SSLEngine client(String host, int port);

  /** The end of a connection that was accepted here. */
  SSLEngine server();

  /**
   * Checks what a handshake does not.
   *
   * @param host the other end
   * @param isServer whether the other end has accepted the connection
   * @throws SSLException if it is no node of the cluster
   */
  void check(String host, boolean isServer, SSLSession session) throws SSLException;
}
