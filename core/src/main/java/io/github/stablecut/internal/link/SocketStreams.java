package io.github.stablecut.internal.link;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;

/** A socket with its buffered streams. */
record SocketStreams(Socket socket, DataInputStream in, DataOutputStream out)
    implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 16;

  /** Opens the streams of a socket. Closes the socket if this throws. */
  static SocketStreams of(Socket socket) throws IOException {
    try {
      return new SocketStreams(
          socket,
          new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES)),
          new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), BUFFER_BYTES)));
    } catch (IOException | RuntimeException | Error e) {
      close(socket);
      throw e;
    }
  }

  /** Sets the timeout of reads. */
  void setReadTimeout(int millis) throws IOException {
    socket.setSoTimeout(millis);
  }

  @Override
  public void close() {
    close(socket);
  }

  static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // The socket is closed in any case.
    }
  }
}
