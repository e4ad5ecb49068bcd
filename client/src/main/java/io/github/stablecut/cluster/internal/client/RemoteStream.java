package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.StablecutException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The connection on which a scan or a watch reads its answers, with at most one request in flight.
 * Confined to one thread at a time, except {@link #close}, which ends a waiting call, as closing
 * the store does.
 */
final class RemoteStream implements AutoCloseable {
  private final RemoteStore store;
  private final ServerPool server;
  private final Bytes descriptor;
  private final CallConnection connection;
  private final Runnable storeEnds;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Whether the connection is broken: the handle is then released without waiting. */
  private volatile boolean isBroken;

  /** Whether the server is silent: nothing more is sent to it. */
  private volatile boolean isSilent;

  private boolean isAsked;

  /**
   * @param descriptor of the handle
   */
  RemoteStream(RemoteStore store, ServerPool server, Bytes descriptor) {
    this.store = store;
    this.server = server;
    this.descriptor = descriptor;
    this.connection = taken(store, server, descriptor);
    this.storeEnds = connection::close;
    store.keepAlive().add(server, descriptor);
    store.onClose(storeEnds);
  }

  /** Takes a connection, or releases the handle, which is useless without one. */
  private static CallConnection taken(RemoteStore store, ServerPool server, Bytes descriptor) {
    try {
      return server.take(store.servers().silence(server));
    } catch (ServerUnavailableException e) {
      // Releasing the handle would wait for the server again.
      throw e;
    } catch (RuntimeException | Error e) {
      store.letGo(server, descriptor);
      throw e;
    }
  }

  /** Requests the next part, unless a request is in flight. */
  void ask(int bytes, int waitMillis) {
    if (!isAsked) {
      Call call = new Call.Take(descriptor, bytes, waitMillis);
      try {
        connection.send(call);
        isAsked = true;
      } catch (IOException e) {
        throw brokenOff(call, e);
      }
    }
  }

  /** Waits for the requested part. */
  <A extends Answer> A take(Class<A> kind) {
    try {
      Answer answer = connection.receive(store.servers().silence(server));
      isAsked = false;
      store.servers().saw(server, answer);
      return RemoteValues.as(kind, answer);
    } catch (IOException e) {
      throw brokenOff(new Call.Take(descriptor, 0, 0), e);
    } catch (StablecutException e) {
      isAsked = false;
      store.servers().refused(server, e);
      throw e;
    }
  }

  private StablecutException brokenOff(Call call, IOException cause) {
    isSilent = cause instanceof SocketTimeoutException;
    isBroken = true;
    return server.brokenOff(call, cause);
  }

  boolean isClosed() {
    return closed.get();
  }

  /** The server. */
  ServerPool server() {
    return server;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      connection.close();
      store.removeOnClose(storeEnds);
      if (!isBroken) {
        store.letGo(server, descriptor);
        return;
      }
      // The unrenewed handle expires.
      store.keepAlive().remove(server, descriptor);
      if (!isSilent) {
        // The server may be alive: the handle would count against the client's limit there.
        store.keepAlive().end(server, new Call.Close(descriptor));
      }
    }
  }
}
