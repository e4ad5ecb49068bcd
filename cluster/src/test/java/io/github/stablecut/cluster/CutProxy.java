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
 * A port before others, which take turns, whose connections can be cut: bytes are swallowed then.
 * Thread-safe.
 */
public final class CutProxy implements AutoCloseable {
  private final ServerSocket listening;
  private final List<Integer> targets;
  private final AtomicInteger next = new AtomicInteger();
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private volatile IntPredicate isCutFrom = port -> false;

  /** A connection from somebody to a target. */
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
   * @param port where it listens; 0 for any
   * @param targets where it brings what comes
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
        // The node is not there, or this is closed.
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
      // Who has connected would wait for ever.
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
      // One of them has ended.
    }
    // The end of a connection does not arrive either.
    if (!link.isCut) {
      end(link);
    }
  }

  /** Where it listens. */
  public int port() {
    return listening.getLocalPort();
  }

  /** Nothing arrives any more, and nobody is told. */
  public void cut() {
    cutFrom(port -> true);
  }

  /** The same for what comes from some ports. */
  void cutFrom(IntPredicate ports) {
    isCutFrom = ports;
    links.forEach(link -> link.isCut = ports.test(link.in.getPort()));
  }

  /** What comes from now on arrives; who has lost bytes has to connect again. */
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
