package io.github.stablecut.cluster;

import java.net.InetSocketAddress;

/** Where a server is that may move. Thread-safe. */
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
