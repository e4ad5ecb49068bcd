package io.github.stablecut.internal.link;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/**
 * Makes sockets, with TLS if there is a context. Both sides then show certificates; who connects
 * also checks that the other's is for the host that it has called. Immutable.
 *
 * @param tls keys, and whom to trust
 */
public record Sockets(Optional<SSLContext> tls) {
  private static final int CONNECT_MILLIS = 5_000;

  /** How long the other side may take to begin. */
  static final int HELLO_MILLIS = 10_000;

  private static final int BACKLOG = 50;

  ServerSocket listen(Address address) throws IOException {
    InetSocketAddress place = address.resolved();
    if (place.isUnresolved()) {
      throw new IOException("the host " + address.host() + " is not known");
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
      socket.bind(place, BACKLOG);
      return socket;
    } catch (IOException e) {
      socket.close();
      throw new IOException("can't listen at %s: %s".formatted(address, e.getMessage()), e);
    }
  }

  Socket connect(Address address) throws IOException {
    InetSocketAddress place = address.resolved();
    if (place.isUnresolved()) {
      throw new IOException("the host " + address.host() + " is not known");
    }
    Socket plain = new Socket();
    try {
      plain.connect(place, CONNECT_MILLIS);
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
    } catch (IOException e) {
      plain.close();
      throw e;
    }
  }

  static void prepare(Socket socket) throws IOException {
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(HELLO_MILLIS);
  }
}
