package io.github.stablecut.console;

import io.github.stablecut.Store;
import io.github.stablecut.web.WebServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;

/**
 * A web page that shows an embedded store at work: its partitions, latencies, throughput and
 * truncation, and its objects at any retained point in time. The page is read-only and reachable
 * from this machine only. Thread-safe.
 *
 * <pre>{@code
 * try (StablecutConsole console = StablecutConsole.start(store, 9090)) {
 *   System.out.println("Open " + console.uri());
 *   ...
 * }
 * }</pre>
 */
public final class StablecutConsole implements AutoCloseable {
  private final Console console;
  private final WebServer server;

  private StablecutConsole(Console console, WebServer server) {
    this.console = console;
    this.server = server;
  }

  /**
   * Serves the page on 127.0.0.1 until closed. Every user of this machine can open it.
   *
   * @param store must stay open as long; closing the console does not close it
   * @param port 0 for any free port
   * @throws UncheckedIOException if the port is in use
   */
  public static StablecutConsole start(Store store, int port) {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("the port must be 0 to 65,535, not " + port);
    }
    Console console = Console.of(new EmbeddedSource(store));
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    try {
      return new StablecutConsole(console, WebServer.start(console.app(), address));
    } catch (IOException e) {
      console.close();
      throw new UncheckedIOException(
          "the console can't listen on %s: %s; choose another port"
              .formatted(address, e.getMessage()),
          e);
    }
  }

  /** The address to open in a browser. */
  public URI uri() {
    return server.uri();
  }

  /** Stops serving the page. Idempotent. */
  @Override
  public void close() {
    server.close();
    console.close();
  }
}
