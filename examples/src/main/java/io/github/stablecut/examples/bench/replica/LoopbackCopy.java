package io.github.stablecut.examples.bench.replica;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Sends bytes over a loopback socket, whose receiver discards them. */
public final class LoopbackCopy {
  private static final int BUFFER_BYTES = 1 << 16;

  private LoopbackCopy() {}

  /** The seconds that it takes. */
  public static double seconds(long bytes) throws IOException, InterruptedException {
    try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket sender = new Socket(InetAddress.getLoopbackAddress(), listening.getLocalPort());
        Socket taker = listening.accept()) {
      long startNanos = System.nanoTime();
      Thread sending = new Thread(() -> send(sender, bytes), "copy");
      sending.start();
      byte[] buffer = new byte[BUFFER_BYTES];
      while (taker.getInputStream().read(buffer) >= 0) {
        // Only the time matters.
      }
      sending.join();
      return (System.nanoTime() - startNanos) / 1e9;
    }
  }

  private static void send(Socket socket, long bytes) {
    byte[] buffer = new byte[BUFFER_BYTES];
    try (OutputStream out = socket.getOutputStream()) {
      for (long left = bytes; left > 0; left -= buffer.length) {
        out.write(buffer, 0, (int) Math.min(left, buffer.length));
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
