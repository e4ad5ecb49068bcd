package io.github.stablecut.cluster.internal.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.client.NotInProtocolException;
import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.Commits;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreClosedException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import javax.net.SocketFactory;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * Connections to a server, as many as there are calls at once. One that nobody has used for a while
 * is tried before it is trusted with an update, because the server may have closed it. Thread-safe.
 */
final class ServerPool {
  private static final int CONNECT_MILLIS = 10_000;
  private static final int MAX_IDLE = 64;
  private static final long TRUSTED_NANOS = Duration.ofSeconds(1).toNanos();

  /** Costs nothing, and changes nothing. */
  private static final Call TRIAL = new Call.Renew(List.of());

  private final InetSocketAddress server;
  private final SocketFactory sockets;
  private final Duration timeout;

  @GuardedBy("this")
  private final Deque<Idle> idle = new ArrayDeque<>();

  /** All that are open, and perhaps some that are not any more. */
  @GuardedBy("this")
  private final List<CallConnection> all = new ArrayList<>();

  @GuardedBy("this")
  private boolean closed;

  private record Idle(CallConnection connection, long sinceNanos) {}

  /** Whether no answer has come to what was asked last. */
  private volatile boolean isBroken;

  /**
   * @param sockets of TLS, if the server is to show that the address's host name is its own
   * @param timeout how long the server may be silent when something is asked
   */
  ServerPool(InetSocketAddress server, SocketFactory sockets, Duration timeout) {
    this.server = server;
    this.sockets = sockets;
    this.timeout = timeout;
  }

  /**
   * Makes a call and waits for the answer.
   *
   * @throws ServerUnavailableException if there is none
   * @throws OutcomeUnknownException if a commit was asked for and there is no answer
   * @throws StoreClosedException if the pool is closed
   * @throws StablecutException what the server throws
   */
  Answer call(Call call) {
    return call(take(), call, timeout);
  }

  /**
   * As {@link #call(Call)}, by a connection that was taken, and is closed or given back.
   *
   * @param silence how long the server may be silent, at most as long as always
   */
  Answer call(CallConnection connection, Call call, Duration silence) {
    try {
      Answer answer = connection.call(call, silence);
      isBroken = false;
      giveBack(connection);
      return answer;
    } catch (IOException e) {
      isBroken = true;
      connection.close();
      // The others are broken, too, or are made again.
      closeIdle();
      throw brokenOff(call, e, silence);
    } catch (NotInProtocolException | ServerUnavailableException e) {
      connection.close();
      throw e;
    } catch (StablecutException e) {
      giveBack(connection);
      throw e;
    } catch (RuntimeException | Error e) {
      connection.close();
      throw e;
    }
  }

  /** Whether no answer has come to what was asked last, as far as that is over. */
  boolean isBroken() {
    return isBroken;
  }

  /** What is thrown if a connection has broken off before the answer to a call. */
  StablecutException brokenOff(Call call, IOException cause) {
    return brokenOff(call, cause, timeout);
  }

  private StablecutException brokenOff(Call call, IOException cause, Duration silence) {
    String what =
        cause instanceof SocketTimeoutException
            ? silent(silence)
            : "the connection to %s broke off: %s".formatted(server, IoReason.of(cause));
    return Commits.isOne(call)
        ? new OutcomeUnknownException(
            what + "; nobody knows whether the commit was made: read what it would have changed")
        : new ServerUnavailableException(what + "; " + remedy(cause), cause);
  }

  private static String remedy(IOException cause) {
    return cause instanceof SSLException
        ? "if the server requires client certificates, show one of its authority by"
            + " javax.net.ssl.keyStore (its log says why it refuses one); otherwise try again"
        : "try again";
  }

  private String silent(Duration silence) {
    return "the server at %s has not answered for %s".formatted(server, DurationWords.of(silence));
  }

  /** As {@link #take(Duration)}, for somebody who can ask no other server. */
  CallConnection take() {
    return take(timeout);
  }

  /**
   * A connection for one user, who closes it or gives it back.
   *
   * @param silence how long the server may be silent when a connection is tried or made; one that
   *     is silent for so long is given another try by a new connection only if no shorter time is
   *     asked for than always
   * @throws ServerUnavailableException if the server can't be reached
   * @throws StoreClosedException if the pool is closed
   */
  CallConnection take(Duration silence) {
    while (true) {
      Optional<Idle> found = poll();
      if (found.isEmpty()) {
        return connect(silence);
      }
      CallConnection connection = found.get().connection;
      boolean isTrusted = System.nanoTime() - found.get().sinceNanos < TRUSTED_NANOS;
      if (isTrusted || answers(connection, silence)) {
        return connection;
      }
    }
  }

  private synchronized Optional<Idle> poll() {
    if (closed) {
      throw closed();
    }
    return Optional.ofNullable(idle.pollLast());
  }

  private boolean answers(CallConnection connection, Duration silence) {
    try {
      Answer.Renewed unused =
          RemoteValues.as(Answer.Renewed.class, connection.call(TRIAL, silence));
      return true;
    } catch (IOException | StablecutException e) {
      connection.close();
      // The others were unused for longer: each would be tried in vain, for as long.
      closeIdle();
      if (e instanceof SocketTimeoutException && silence.compareTo(timeout) < 0) {
        throw new ServerUnavailableException(silent(silence) + "; try again", e);
      }
      return false;
    }
  }

  private CallConnection connect(Duration silence) {
    int millis = (int) Math.min(Integer.MAX_VALUE, silence.toMillis());
    try {
      Socket socket = sockets.createSocket();
      try {
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(millis);
        if (socket instanceof SSLSocket secured) {
          checkName(secured);
        }
        socket.connect(now(), Math.min(CONNECT_MILLIS, millis));
        if (socket instanceof SSLSocket secured) {
          begin(secured, silence);
        }
        return opened(new CallConnection(socket, timeout));
      } catch (IOException e) {
        socket.close();
        throw e;
      }
    } catch (SocketTimeoutException e) {
      throw new ServerUnavailableException(
          silent(silence) + "; start one there, or name another", e);
    } catch (SSLException e) {
      throw withoutTls(server, e);
    } catch (IOException e) {
      throw new ServerUnavailableException(
          "no server answers at %s: %s; start one, or name another"
              .formatted(server, IoReason.of(e)),
          e);
    }
  }

  private CallConnection opened(CallConnection connection) {
    boolean isLate;
    synchronized (this) {
      all.removeIf(each -> !each.isOpen());
      all.add(connection);
      isLate = closed;
    }
    if (isLate) {
      connection.close();
      throw closed();
    }
    return connection;
  }

  private static StoreClosedException closed() {
    return new StoreClosedException("the store is closed: connect again");
  }

  /** Where the name is now: a server may come back at another address. */
  private InetSocketAddress now() {
    InetSocketAddress found = new InetSocketAddress(server.getHostString(), server.getPort());
    return found.isUnresolved() ? server : found;
  }

  /** A server without TLS may wait for more than it is sent. */
  private static void begin(SSLSocket socket, Duration silence) throws IOException {
    try {
      socket.startHandshake();
    } catch (SocketTimeoutException e) {
      throw new SSLException("it has not answered for %s".formatted(DurationWords.of(silence)), e);
    }
  }

  /** What is said if no TLS connection comes about. */
  static ServerUnavailableException withoutTls(InetSocketAddress server, SSLException cause) {
    if (isOf(cause, CertificateExpiredException.class)
        || isOf(cause, CertificateNotYetValidException.class)) {
      return new ServerUnavailableException(
          "the certificate of the server at %s is not valid at this time: %s; renew it there, or set the clock of this machine"
              .formatted(server, cause.getMessage()),
          cause);
    }
    String what =
        isOf(cause, CertificateException.class)
            ? "the server at %s does not show by its certificate that it is %s: %s; name it as its certificate does, or trust the authority by javax.net.ssl.trustStore"
                .formatted(server, server.getHostString(), cause.getMessage())
            : "there is no TLS with the server at %s: %s; if it has none, connect by stablecut://"
                .formatted(server, cause.getMessage());
    return new ServerUnavailableException(what, cause);
  }

  private static boolean isOf(Throwable failure, Class<? extends CertificateException> kind) {
    Throwable cause = failure.getCause();
    return kind.isInstance(cause) || (cause != null && isOf(cause, kind));
  }

  /** Has the handshake fail unless the certificate is for the host that was asked for. */
  private static void checkName(SSLSocket socket) {
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
  }

  /** Where the server is. */
  InetSocketAddress server() {
    return server;
  }

  /** Takes back a connection on which no answer is awaited. */
  void giveBack(CallConnection connection) {
    synchronized (this) {
      if (!closed && connection.isOpen() && idle.size() < MAX_IDLE) {
        idle.addLast(new Idle(connection, System.nanoTime()));
        return;
      }
    }
    connection.close();
  }

  /** Closes all connections: calls that wait for an answer end. */
  void close() {
    List<CallConnection> open;
    synchronized (this) {
      closed = true;
      open = List.copyOf(all);
    }
    closeIdle();
    open.forEach(CallConnection::breakOff);
  }

  private void closeIdle() {
    Deque<Idle> unused;
    synchronized (this) {
      unused = new ArrayDeque<>(idle);
      idle.clear();
    }
    unused.forEach(each -> each.connection.close());
  }
}
