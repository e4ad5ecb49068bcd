package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Pin;
import io.github.stablecut.crdt.Bytes;
import java.util.concurrent.atomic.AtomicBoolean;

/** A point that a server keeps readable. Thread-safe. */
final class RemotePin extends RemoteSnapshot implements Pin {
  private final RemoteStore store;
  private final ServerPool server;
  private final Bytes descriptor;
  private final AtomicBoolean closed = new AtomicBoolean();

  RemotePin(RemoteStore store, CausalToken token, ServerPool server, Bytes descriptor) {
    super(store, token);
    this.store = store;
    this.server = server;
    this.descriptor = descriptor;
    store.keepAlive().add(server, descriptor);
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      store.letGo(server, descriptor);
    }
  }
}
