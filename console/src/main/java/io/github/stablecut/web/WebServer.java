package io.github.stablecut.web;

import com.sun.net.httpserver.HttpServer;
import io.github.stablecut.internal.thread.FireAndForget;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Serves a {@link WebApp} on the JDK's HTTP server. Thread-safe. */
public final class WebServer implements AutoCloseable {
  /** Maximum number of concurrent event streams. */
  static final int MAX_STREAMS = 32;

  private static final Duration WRITE_TIMEOUT = Duration.ofSeconds(20);
  private static final int BACKLOG = 64;

  static {
    // The JDK's server reads these properties once: it sends small answers without delay, and
    // disconnects a client that takes longer than this many seconds to send a request.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    System.setProperty("sun.net.httpserver.maxReqTime", "30");
  }

  private final HttpServer server;
  private final ThreadPoolExecutor workers;
  private final ScheduledExecutorService watchdog;
  private final EventStreams streams;

  private WebServer(HttpServer server, EventStreams streams, Duration writeTimeout) {
    this.server = server;
    this.streams = streams;
    AtomicInteger number = new AtomicInteger();
    this.workers =
        new ThreadPoolExecutor(
            2 * MAX_STREAMS,
            2 * MAX_STREAMS,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            work -> daemon(work, "web-" + number.incrementAndGet()));
    workers.allowCoreThreadTimeOut(true);
    this.watchdog =
        Executors.newSingleThreadScheduledExecutor(work -> daemon(work, "web-watchdog"));
    long millis = Math.max(1, writeTimeout.toMillis() / 4);
    FireAndForget.repeat(
        watchdog,
        millis,
        "the check for stalled connections",
        () -> streams.endStalled(System.nanoTime()));
  }

  private static Thread daemon(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Serves an application until closed.
   *
   * @param address to listen on; everyone who reaches it can use the application
   * @throws IOException if the port is in use
   */
  public static WebServer start(WebApp app, InetSocketAddress address) throws IOException {
    return start(app, address, WRITE_TIMEOUT);
  }

  /** Like {@link #start(WebApp, InetSocketAddress)}, with another timeout for slow readers. */
  static WebServer start(WebApp app, InetSocketAddress address, Duration writeTimeout)
      throws IOException {
    HttpServer http = HttpServer.create(address, BACKLOG);
    EventStreams streams = new EventStreams(MAX_STREAMS, writeTimeout);
    WebServer server = new WebServer(http, streams, writeTimeout);
    boolean isLocal = address.getAddress().isLoopbackAddress();
    http.createContext("/", new Dispatcher(new WebPaths(app), streams, isLocal));
    http.setExecutor(server.workers);
    http.start();
    return server;
  }

  /** The address to open in a browser. */
  public URI uri() {
    String host = server.getAddress().getAddress().getHostAddress();
    return URI.create(
        "http://%s:%d/"
            .formatted(
                host.contains(":") ? "[" + host + "]" : host, server.getAddress().getPort()));
  }

  /** The number of open event streams. */
  int streams() {
    return streams.size();
  }

  /** Ends all streams and requests. Idempotent. */
  @Override
  public void close() {
    watchdog.shutdownNow();
    server.stop(0);
    workers.shutdownNow();
  }
}
