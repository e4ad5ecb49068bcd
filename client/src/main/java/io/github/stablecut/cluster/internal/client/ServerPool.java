package io.github.stablecut.cluster.internal.client;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
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
 * A pool of connections to one server, one per concurrent call. A connection that was idle for a
 * while is tested before it is reused, because the server may have closed it. Thread-safe.
 */
final class ServerPool {
  private static final int CONNECT_MILLIS = 10_000;
  private static final int MAX_IDLE = 64;

  /**
   * A connection that was used within this time is reused untested. Shorter than a server's
   * restart: a connection to a killed server would give a commit an unknown outcome, although the
   * restarted server never received it.
   */
  private static final long TRUSTED_NANOS = Duration.ofMillis(100).toNanos();

  /** A call without effect that tests a connection. */
  private static final Call TRIAL = new Call.Renew(List.of());

  private final InetSocketAddress server;
  private final SocketFactory sockets;
  private final Duration timeout;

  @GuardedBy("this")
  private final Deque<Idle> idle = new ArrayDeque<>();

  /** All open connections, and possibly some closed ones. */
  @GuardedBy("this")
  private final List<CallConnection> all = new ArrayList<>();

  @GuardedBy("this")
  private boolean closed;

  private record Idle(CallConnection connection, long sinceNanos) {}

  /** Whether the last call failed without an answer. */
  private volatile boolean isBroken;

  /**
   * @param sockets creates TLS sockets if the server must prove the address's host name
   * @param timeout how long the server may be silent during a call
   */
  ServerPool(InetSocketAddress server, SocketFactory sockets, Duration timeout) {
    this.server = server;
    this.sockets = sockets;
    this.timeout = timeout;
  }

  /**
   * Makes a call and waits for the answer.
   *
   * @throws ServerUnavailableException if the server does not answer
   * @throws OutcomeUnknownException if the call commits and its answer is lost
   * @throws StoreClosedException if the pool is closed
   * @throws StablecutException what the server throws
   */
  @CanIgnoreReturnValue
  Answer call(Call call) {
    return call(take(), call, timeout);
  }

  /**
   * Like {@link #call(Call)}, on a connection that was taken; closes it or returns it to the pool.
   *
   * @param silence how long the server may be silent, at most the pool's timeout
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
      // The idle connections are probably broken, too; they are reopened if needed.
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

  /** Whether the last completed call failed without an answer. */
  boolean isBroken() {
    return isBroken;
  }

  /** The exception for a connection that broke before the answer to a call. */
  StablecutException brokenOff(Call call, IOException cause) {
    return brokenOff(call, cause, timeout);
  }

  private StablecutException brokenOff(Call call, IOException cause, Duration silence) {
    String what =
        cause instanceof SocketTimeoutException
            ? silent(silence)
            : "the connection to %s was lost: %s".formatted(server, IoReason.of(cause));
    return Commits.isOne(call)
        ? new OutcomeUnknownException(
            what
                + "; the outcome of the commit is unknown: read its objects to see whether it took effect")
        : new ServerUnavailableException(what + "; " + remedy(cause), cause);
  }

  /**
   * Whether the failure of a call that was sent is that of its connection, so that the server may
   * have executed it. A failure that the server has reported has no cause.
   */
  static boolean isUnanswered(ServerUnavailableException failure) {
    return failure.getCause() instanceof IOException;
  }

  private static String remedy(IOException cause) {
    return cause instanceof SSLException
        ? "if the server requires client certificates, use one that its authority issued (ConnectOptions.withIdentity, ?certificate=FILE&key=FILE in the address, or javax.net.ssl.keyStore; the server's log gives the reason of a refusal); otherwise try again"
        : "try again";
  }

  private String silent(Duration silence) {
    return "the server at %s has not answered for %s".formatted(server, DurationWords.of(silence));
  }

  /** Like {@link #take(Duration)}, for callers without an alternative server. */
  CallConnection take() {
    return take(timeout);
  }

  /**
   * Takes a connection, which the caller closes or returns.
   *
   * @param silence how long the server may be silent while a connection is tested or opened. With
   *     the pool's full timeout, a silent idle connection is replaced by a new one; with a shorter
   *     one, the call fails at once
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
      RemoteValues.as(Answer.Renewed.class, connection.call(TRIAL, silence));
      return true;
    } catch (IOException | StablecutException e) {
      connection.close();
      // The other connections were idle for longer; testing each would take as long.
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
          silent(silence) + "; start a server there, or connect to another one", e);
    } catch (SSLException e) {
      throw withoutTls(server, e);
    } catch (IOException e) {
      throw new ServerUnavailableException(
          "no server answers at %s: %s; start one there, or connect to another one"
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

  /** Resolves the server's name again: a server may restart at another address. */
  private InetSocketAddress now() {
    InetSocketAddress found = new InetSocketAddress(server.getHostString(), server.getPort());
    return found.isUnresolved() ? server : found;
  }

  /** Performs the TLS handshake; a server without TLS may wait for more bytes forever. */
  private static void begin(SSLSocket socket, Duration silence) throws IOException {
    try {
      socket.startHandshake();
    } catch (SocketTimeoutException e) {
      throw new SSLException(
          "the server has not answered for %s".formatted(DurationWords.of(silence)), e);
    }
  }

  /** The exception for a failed TLS connection. */
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
            ? "the certificate of the server at %s is not valid for %s: %s; use a name that the certificate has, or trust its authority (ConnectOptions.withAuthority, ?authority=FILE in the address, or javax.net.ssl.trustStore)"
                .formatted(server, server.getHostString(), cause.getMessage())
            : "TLS failed with the server at %s: %s; if the server has no TLS, connect with stablecut://"
                .formatted(server, cause.getMessage());
    return new ServerUnavailableException(what, cause);
  }

  private static boolean isOf(Throwable failure, Class<? extends CertificateException> kind) {
    Throwable cause = failure.getCause();
    return kind.isInstance(cause) || (cause != null && isOf(cause, kind));
  }

  /** Makes the handshake verify that the certificate is valid for the requested host. */
  private static void checkName(SSLSocket socket) {
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
  }

  /** The server's address. */
  InetSocketAddress server() {
    return server;
  }

  /** Returns a connection without in-flight calls to the pool. */
  void giveBack(CallConnection connection) {
    synchronized (this) {
      if (!closed && connection.isOpen() && idle.size() < MAX_IDLE) {
        idle.addLast(new Idle(connection, System.nanoTime()));
        return;
      }
    }
    connection.close();
  }

  /** Closes all connections, which ends waiting calls. */
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
    List<Idle> closing;
    synchronized (this) {
      closing = List.copyOf(idle);
      idle.clear();
    }
    closing.forEach(each -> each.connection.close());
  }
}
