package io.github.stablecut;

import io.github.stablecut.internal.thread.Threads;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/** Forwards connections to an address; the answers of the other side are held back for a while. */
final class SlowProxy implements AutoCloseable {
  private final ServerSocket listening = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final int port;
  private final long pauseMillis;
  private final AtomicReference<Runnable> onPause = new AtomicReference<>(() -> {});

  /**
   * @param to an address on this machine
   * @param pauseMillis how long the first bytes of an answer are held back
   */
  SlowProxy(String to, long pauseMillis) throws IOException {
    this.port = Integer.parseInt(to.substring(to.lastIndexOf(':') + 1));
    this.pauseMillis = pauseMillis;
    Threads.daemon("proxy", this::acceptAll).start();
  }

  String address() {
    return "127.0.0.1:" + listening.getLocalPort();
  }

  /** Sets what runs once, in the middle of the first pause. */
  void onPause(Runnable action) {
    onPause.set(action);
  }

  private void acceptAll() {
    try {
      while (true) {
        Socket client = listening.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
        open.add(client);
        open.add(server);
        Threads.daemon("proxy-there", () -> copy(client, server, 0)).start();
        Threads.daemon("proxy-back", () -> copy(server, client, pauseMillis)).start();
      }
    } catch (IOException e) {
      // closed
    }
  }

  private void copy(Socket from, Socket to, long pause) {
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      byte[] buffer = new byte[1 << 16];
      long left = pause;
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (left > 0) {
          Thread.sleep(left / 2);
          onPause.getAndSet(() -> {}).run();
          Thread.sleep(left / 2);
          left = 0;
        }
        out.write(buffer, 0, read);
        out.flush();
      }
    } catch (IOException | InterruptedException e) {
      // closed
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
    for (Socket socket : open) {
      socket.close();
    }
  }
}
