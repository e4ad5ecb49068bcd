package io.github.stablecut.cluster.internal.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.cluster.ServerUnavailableException;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreClosedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import javax.net.SocketFactory;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * Connections to a server, as many as there are calls at once. One that nobody has used for a while
 * is tried before it is trusted with an update, because the server may have closed it. Thread-safe.
 */
final class ConnectionPool {
  private static final long MAX_BYTES = 1 << 30;
  private static final int CONNECT_MILLIS = 10_000;
  private static final int MAX_IDLE = 64;
  private static final long TRUSTED_NANOS = Duration.ofSeconds(1).toNanos();

  /** Costs nothing, and changes nothing. */
  private static final Request TRIAL = new Request.StaticRead(Optional.empty(), List.of());

  private final InetSocketAddress server;
  private final SocketFactory sockets;
  private final Duration timeout;

  @GuardedBy("this")
  private final Deque<Idle> idle = new ArrayDeque<>();

  @GuardedBy("this")
  private boolean closed;

  private record Idle(ClientConnection connection, long sinceNanos) {}

  /**
   * @param sockets of TLS, if the server is to show that the address's host name is its own
   * @param timeout how long the server may be silent when something is asked
   */
  ConnectionPool(InetSocketAddress server, SocketFactory sockets, Duration timeout) {
    this.server = server;
    this.sockets = sockets;
    this.timeout = timeout;
  }

  /**
   * Asks and waits for the answer.
   *
   * @throws ServerUnavailableException if there is none
   * @throws OutcomeUnknownException if a commit was asked for and there is no answer
   * @throws StoreClosedException if the pool is closed
   */
  Response call(Request request) {
    ClientConnection connection = take();
    try {
      Response response = connection.call(request);
      giveBack(connection);
      return response;
    } catch (IOException e) {
      close(connection);
      throw brokenOff(request, e);
    } catch (RuntimeException | Error e) {
      close(connection);
      throw e;
    }
  }

  private StablecutException brokenOff(Request request, IOException cause) {
    String what =
        cause instanceof SocketTimeoutException
            ? silent()
            : "the connection to %s broke off: %s".formatted(server, IoReason.of(cause));
    boolean commits = request instanceof Request.StaticUpdate || request instanceof Request.Commit;
    return commits
        ? new OutcomeUnknownException(
            what + "; nobody knows whether the commit was made: read what it would have changed")
        : new ServerUnavailableException(what + "; try again", cause);
  }

  private String silent() {
    return "the server at %s has not answered for %s".formatted(server, timeout);
  }

  private ClientConnection take() {
    while (true) {
      Optional<Idle> found = poll();
      if (found.isEmpty()) {
        return connect();
      }
      ClientConnection connection = found.get().connection;
      if (System.nanoTime() - found.get().sinceNanos < TRUSTED_NANOS || answers(connection)) {
        return connection;
      }
      close(connection);
    }
  }

  private synchronized Optional<Idle> poll() {
    checkOpen();
    return Optional.ofNullable(idle.pollLast());
  }

  /** Throws if it is closed. */
  synchronized void checkOpen() {
    if (closed) {
      throw new StoreClosedException("the store is closed: connect again");
    }
  }

  private static boolean answers(ClientConnection connection) {
    try {
      return connection.call(TRIAL) instanceof Response.StaticValues;
    } catch (IOException e) {
      return false;
    }
  }

  private ClientConnection connect() {
    try {
      Socket socket = sockets.createSocket();
      try {
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) Math.min(Integer.MAX_VALUE, timeout.toMillis()));
        if (socket instanceof SSLSocket secured) {
          checkName(secured);
        }
        socket.connect(server, CONNECT_MILLIS);
        if (socket instanceof SSLSocket secured) {
          secured.startHandshake();
        }
        return new ClientConnection(socket, MAX_BYTES);
      } catch (IOException e) {
        socket.close();
        throw e;
      }
    } catch (SocketTimeoutException e) {
      throw new ServerUnavailableException(silent() + "; start one there, or name another", e);
    } catch (SSLHandshakeException e) {
      throw new ServerUnavailableException(
          "the server at %s does not show by its certificate that it is %s: %s; name it as its certificate does, or trust the authority by javax.net.ssl.trustStore"
              .formatted(server, server.getHostString(), e.getMessage()),
          e);
    } catch (IOException e) {
      throw new ServerUnavailableException(
          "no server answers at %s: %s; start one, or name another"
              .formatted(server, IoReason.of(e)),
          e);
    }
  }

  /** Has the handshake fail unless the certificate is for the host that was asked for. */
  private static void checkName(SSLSocket socket) {
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
  }

  private void giveBack(ClientConnection connection) {
    synchronized (this) {
      if (!closed && idle.size() < MAX_IDLE) {
        idle.addLast(new Idle(connection, System.nanoTime()));
        return;
      }
    }
    close(connection);
  }

  private static void close(ClientConnection connection) {
    try {
      connection.close();
    } catch (IOException e) {
      throw new UncheckedIOException("a socket can't be closed", e);
    }
  }

  /** Closes what nobody uses; what is used is closed when its call ends. */
  void close() {
    Deque<Idle> open;
    synchronized (this) {
      closed = true;
      open = new ArrayDeque<>(idle);
      idle.clear();
    }
    open.forEach(each -> close(each.connection));
  }
}
