package io.github.stablecut.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** A proxy of a port that resets a connection in the middle of what it carries. Thread-safe. */
public final class ResetProxy implements AutoCloseable {
  private final ServerSocket listening;
  private final int target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  /** The bytes of each direction until the next reset; negative for none. */
  private final AtomicLong toTarget = new AtomicLong(-1);

  private final AtomicLong fromTarget = new AtomicLong(-1);
  private final AtomicLong resets = new AtomicLong();

  /**
   * @param target the port to forward to
   */
  public ResetProxy(int target) throws IOException {
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    this.target = target;
    start(this::accept);
  }

  /** The port that it listens at. */
  public int port() {
    return listening.getLocalPort();
  }

  /** Forwards a number of bytes to the target, and then resets the connection of the last one. */
  public void resetAfterRequest(long bytes) {
    toTarget.set(bytes);
  }

  /** As {@link #resetAfterRequest}, with bytes from the target. */
  public void resetAfterReply(long bytes) {
    fromTarget.set(bytes);
  }

  /** The number of resets so far. */
  public long resets() {
    return resets.get();
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
        Socket out;
        try {
          out = new Socket(InetAddress.getLoopbackAddress(), target);
        } catch (IOException e) {
          in.close();
          continue;
        }
        in.setTcpNoDelay(true);
        out.setTcpNoDelay(true);
        sockets.add(in);
        sockets.add(out);
        start(() -> pump(in, out, toTarget));
        start(() -> pump(out, in, fromTarget));
      } catch (IOException e) {
        // This proxy is closed.
      }
    }
  }

  private void pump(Socket from, Socket to, AtomicLong remaining) {
    byte[] bytes = new byte[1 << 16];
    try (from;
        to) {
      for (int read = from.getInputStream().read(bytes);
          read >= 0;
          read = from.getInputStream().read(bytes)) {
        int length = read;
        long before = remaining.getAndUpdate(left -> left < length ? -1 : left - length);
        boolean isReset = before >= 0 && before < read;
        to.getOutputStream().write(bytes, 0, isReset ? (int) before : read);
        if (isReset) {
          from.setSoLinger(true, 0);
          to.setSoLinger(true, 0);
          resets.incrementAndGet();
          return;
        }
      }
    } catch (IOException e) {
      // One of the connections has ended.
    }
  }

  @Override
  public void close() {
    try {
      listening.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("a socket can't be closed", e);
    }
  }
}
