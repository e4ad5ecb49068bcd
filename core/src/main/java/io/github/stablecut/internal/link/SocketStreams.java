package io.github.stablecut.internal.link;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;

/** A socket and its streams. */
record SocketStreams(Socket socket, DataInputStream in, DataOutputStream out)
    implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 16;

  /** The streams of a socket, which is closed if this throws. */
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

  /** A read that waits longer than that fails. */
  void waitAtMost(int millis) throws IOException {
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
      // It is closed then.
    }
  }
}
