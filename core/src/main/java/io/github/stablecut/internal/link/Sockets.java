package io.github.stablecut.internal.link;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/**
 * Creates sockets, with TLS if there is a context. With TLS both sides present certificates, and
 * the connecting side also verifies the host name. Immutable.
 *
 * @param tls the keys and the trusted certificates
 */
public record Sockets(Optional<SSLContext> tls) {
  private static final int CONNECT_MILLIS = 5_000;

  /** The timeout of the other side's handshake. */
  static final int HANDSHAKE_MILLIS = 10_000;

  private static final int BACKLOG = 50;

  ServerSocket listen(Address address) throws IOException {
    InetSocketAddress target = address.resolved();
    if (target.isUnresolved()) {
      throw new IOException("the host " + address.host() + " is unknown");
    }
    ServerSocket socket;
    if (tls.isPresent()) {
      SSLServerSocket secure =
          (SSLServerSocket) tls.get().getServerSocketFactory().createServerSocket();
      secure.setNeedClientAuth(true);
      socket = secure;
    } else {
      socket = new ServerSocket();
    }
    try {
      socket.setReuseAddress(true);
      socket.bind(target, BACKLOG);
      return socket;
    } catch (IOException e) {
      socket.close();
      throw new IOException("can't listen at %s: %s".formatted(address, e.getMessage()), e);
    }
  }

  Socket connect(Address address) throws IOException {
    InetSocketAddress target = address.resolved();
    if (target.isUnresolved()) {
      throw new IOException("the host " + address.host() + " is unknown");
    }
    Socket plain = new Socket();
    try {
      plain.connect(target, CONNECT_MILLIS);
      prepare(plain);
      if (tls.isEmpty()) {
        return plain;
      }
      SSLSocket secure =
          (SSLSocket)
              tls.get()
                  .getSocketFactory()
                  .createSocket(plain, address.host(), address.port(), true);
      SSLParameters parameters = secure.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      secure.setSSLParameters(parameters);
      secure.startHandshake();
      return secure;
    } catch (SSLException e) {
      plain.close();
      throw new IOException(
          "TLS fails (%s): perhaps only one side uses TLS; otherwise each side needs a certificate of an authority that the other trusts, and the other's certificate has to name %s"
              .formatted(e.getMessage(), address.host()),
          e);
    } catch (IOException e) {
      plain.close();
      throw e;
    }
  }

  static void prepare(Socket socket) throws IOException {
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(HANDSHAKE_MILLIS);
  }
}
