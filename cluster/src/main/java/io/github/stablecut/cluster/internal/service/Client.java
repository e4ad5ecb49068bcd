package io.github.stablecut.cluster.internal.service;

import java.util.concurrent.atomic.AtomicInteger;

/** A connection, as far as its transactions are concerned. Thread-safe. */
final class Client {
  private final AtomicInteger open = new AtomicInteger();

  /** Counts one more transaction unless there are as many as allowed. */
  boolean tryBegin(int max) {
    return open.getAndUpdate(count -> count < max ? count + 1 : count) < max;
  }

  void ended() {
    int unused = open.decrementAndGet();
  }
}
