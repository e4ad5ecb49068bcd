package io.github.stablecut.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;

/**
 * A proxy of other ports, used in turn, whose connections can be cut: it then discards all bytes.
 * Thread-safe.
 */
public final class CutProxy implements AutoCloseable {
  private final ServerSocket listening;
  private final List<Integer> targets;
  private final AtomicInteger next = new AtomicInteger();
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private volatile IntPredicate isCutFrom = port -> false;

  /** A connection from a client to a target. */
  private static final class Link {
    private final Socket in;
    private final Socket out;
    private volatile boolean isCut;

    Link(Socket in, Socket out) {
      this.in = in;
      this.out = out;
    }

    void close() {
      try (in;
          out) {
        isCut = false;
      } catch (IOException e) {
        throw new UncheckedIOException("a socket can't be closed", e);
      }
    }
  }

  /**
   * @param port the port to listen at; 0 for any
   * @param targets the ports to forward to
   */
  public CutProxy(int port, List<Integer> targets) throws IOException {
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
        connect(listening.accept());
      } catch (IOException e) {
        // The node is down, or this proxy is closed.
      }
    }
  }

  private void connect(Socket in) throws IOException {
    try {
      Link link = new Link(in, new Socket(InetAddress.getLoopbackAddress(), target()));
      links.add(link);
      link.isCut = isCutFrom.test(in.getPort());
      start(() -> pump(link, link.in, link.out));
      start(() -> pump(link, link.out, link.in));
    } catch (IOException e) {
      // Otherwise the client would wait forever.
      in.close();
      throw e;
    }
  }

  private int target() {
    return targets.get(Math.floorMod(next.getAndIncrement(), targets.size()));
  }

  private void pump(Link link, Socket from, Socket to) {
    byte[] bytes = new byte[1 << 16];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
        if (!link.isCut) {
          out.write(bytes, 0, read);
        }
      }
    } catch (IOException e) {
      // One of the connections has ended.
    }
    // The end of a connection is not forwarded either.
    if (!link.isCut) {
      end(link);
    }
  }

  /** The port that it listens at. */
  public int port() {
    return listening.getLocalPort();
  }

  /** Discards all bytes from now on, without closing connections. */
  public void cut() {
    cutFrom(port -> true);
  }

  /** Discards all bytes from the ports that match. */
  void cutFrom(IntPredicate ports) {
    isCutFrom = ports;
    links.forEach(link -> link.isCut = ports.test(link.in.getPort()));
  }

  /** Forwards new bytes again. A client that has lost bytes has to reconnect. */
  void mend() {
    isCutFrom = port -> false;
    links.stream().filter(link -> link.isCut).forEach(this::end);
  }

  private void end(Link link) {
    link.close();
    links.remove(link);
  }

  @Override
  public void close() {
    try {
      listening.close();
      links.forEach(this::end);
    } catch (IOException e) {
      throw new UncheckedIOException("a socket can't be closed", e);
    }
  }
}
