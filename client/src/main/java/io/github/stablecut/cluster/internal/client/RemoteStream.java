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
 * What a server keeps for a scan or a watch, and a connection on which it is taken: at most one
 * part is asked for that was not taken. Confined to one thread at a time, but for {@link #close},
 * which ends a waiting call; so does the end of the store.
 */
final class RemoteStream implements AutoCloseable {
  private final RemoteStore store;
  private final ServerPool server;
  private final Bytes descriptor;
  private final CallConnection connection;
  private final Runnable storeEnds;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Whether the connection has broken off: nobody waits until the server is told the end. */
  private volatile boolean isBroken;

  /** Whether the server is silent: it is told nothing any more. */
  private volatile boolean isSilent;

  private boolean isAsked;

  /**
   * @param descriptor of what the server keeps
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

  /** Without a connection nobody can take what the server keeps. */
  private static CallConnection taken(RemoteStore store, ServerPool server, Bytes descriptor) {
    try {
      return server.take(store.servers().silence(server));
    } catch (ServerUnavailableException e) {
      // It is told nothing: that would wait for it again.
      throw e;
    } catch (RuntimeException | Error e) {
      store.letGo(server, descriptor);
      throw e;
    }
  }

  /** Asks for the next part, unless one is asked for. */
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

  /** Waits for the part that was asked for. */
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

  /** The server, which is not asked again if it has broken off. */
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
      // What it hears nothing about it lets go of.
      store.keepAlive().remove(server, descriptor);
      if (!isSilent) {
        // It may be alive: others would find no room beside what nobody takes any more.
        store.keepAlive().end(server, new Call.LetGo(descriptor));
      }
    }
  }
}
