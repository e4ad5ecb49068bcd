package io.github.stablecut.cluster;

import java.net.InetSocketAddress;

/** The address of a server that may move. Thread-safe. */
final class ServerAddress {
  private volatile InetSocketAddress now;

  ServerAddress(InetSocketAddress now) {
    this.now = now;
  }

  InetSocketAddress get() {
    return now;
  }

  void set(InetSocketAddress other) {
    now = other;
  }
}
