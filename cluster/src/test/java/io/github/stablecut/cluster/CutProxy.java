package io.github.stablecut.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A port before others, which take turns, whose connections can be cut: bytes are swallowed then.
 */
final class CutProxy implements AutoCloseable {
  private final ServerSocket listening;
  private final List<Integer> targets;
  private final AtomicInteger next = new AtomicInteger();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile boolean isCut;

  /**
   * @param port where it listens; 0 for any
   * @param targets where it brings what comes
   */
  CutProxy(int port, List<Integer> targets) throws IOException {
    this.listening = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
    this.targets = targets;
    start(this::accept);
  }

  private static void start(Runnable action) {
    Thread thread = new Thread(action, "proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket in = listening.accept();
        sockets.add(in);
        Socket out = new Socket(InetAddress.getLoopbackAddress(), target());
        sockets.add(out);
        start(() -> pump(in, out));
        start(() -> pump(out, in));
      } catch (IOException e) {
        // The node is not there, or this is closed.
      }
    }
  }

  private int target() {
    return targets.get(Math.floorMod(next.getAndIncrement(), targets.size()));
  }

  private void pump(Socket from, Socket to) {
    byte[] bytes = new byte[1 << 16];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
        if (!isCut) {
          out.write(bytes, 0, read);
        }
      }
    } catch (IOException e) {
      // One of them has ended.
    }
  }

  /** Where it listens. */
  int port() {
    return listening.getLocalPort();
  }

  /** Nothing arrives any more, and nobody is told. */
  void cut() {
    isCut = true;
  }

  /** What comes from now on arrives; who has lost bytes has to connect again. */
  void mend() throws IOException {
    isCut = false;
    for (Socket socket : sockets) {
      socket.close();
    }
    sockets.clear();
  }

  @Override
  public void close() throws IOException {
    listening.close();
    mend();
  }
}
