package io.github.stablecut.console;

import io.github.stablecut.Store;
import io.github.stablecut.web.WebServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;

/**
 * A page that shows an embedded store at work: its partitions, latencies and throughput,
 * truncation, and its objects at any moment that is kept. Nothing can be changed on it. Only this
 * machine reaches it. Thread-safe.
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
   * Serves the page until it is closed, on 127.0.0.1. Whoever may use this machine can look at it.
   *
   * @param store is to be open as long; it is not closed with this
   * @param port 0 for any that is free
   * @throws UncheckedIOException if the port is taken
   */
  public static StablecutConsole start(Store store, int port) {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("a port is 0 to 65,535, not " + port);
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

  /** Ends the page. Idempotent. */
  @Override
  public void close() {
    server.close();
    console.close();
  }
}
