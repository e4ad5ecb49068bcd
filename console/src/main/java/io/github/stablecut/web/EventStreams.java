package io.github.stablecut.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Streams of server-sent events. Each occupies a thread of the server, which waits for an event and
 * writes it. Their number is limited, and a stream whose reader stalls is closed to free its slot.
 * Thread-safe.
 */
final class EventStreams {
  /** The interval of writes that detect disconnected readers. */
  private static final Duration HEARTBEAT = Duration.ofSeconds(10);

  private static final byte[] HEARTBEAT_LINE = ":\n\n".getBytes(UTF_8);

  private final int most;
  private final long writeNanos;
  private final Set<Stream> open = ConcurrentHashMap.newKeySet();

  /**
   * Creates an empty set of streams.
   *
   * @param most the maximum number of concurrent streams
   * @param writeTimeout the maximum time to write an event
   */
  EventStreams(int most, Duration writeTimeout) {
    this.most = most;
    this.writeNanos = writeTimeout.toNanos();
  }

  /** Writes events until the reader or the feed ends, or the thread is interrupted. */
  void run(HttpExchange exchange, Supplier<Feed> feeds) throws IOException {
    Stream stream = new Stream(Thread.currentThread());
    if (!admit(stream)) {
      throw new WebException(
          503, "%d windows are open, which is the maximum: close one".formatted(most));
    }
    try (Feed feed = feeds.get()) {
      exchange.getResponseHeaders().set("Content-Type", "text/event-stream; charset=utf-8");
      exchange.sendResponseHeaders(200, 0);
      OutputStream out = exchange.getResponseBody();
      stream.write(out, HEARTBEAT_LINE);
      while (true) {
        Optional<Object> event = feed.next(HEARTBEAT);
        stream.write(out, event.map(EventStreams::lines).orElse(HEARTBEAT_LINE));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      open.remove(stream);
    }
  }

  /** Admits a stream unless the limit is exceeded; concurrent admissions may both withdraw. */
  private boolean admit(Stream stream) {
    open.add(stream);
    if (open.size() > most) {
      open.remove(stream);
      return false;
    }
    return true;
  }

  static byte[] lines(Object event) {
    byte[] json = Json.write(event);
    byte[] lines = new byte[json.length + 8];
    System.arraycopy("data: ".getBytes(UTF_8), 0, lines, 0, 6);
    System.arraycopy(json, 0, lines, 6, json.length);
    lines[json.length + 6] = '\n';
    lines[json.length + 7] = '\n';
    return lines;
  }

  /** Closes streams whose readers have stalled. */
  void endStalled(long nowNanos) {
    open.forEach(stream -> stream.endIfStalled(nowNanos));
  }

  int size() {
    return open.size();
  }

  /** A stream, which records when its current write began. */
  private final class Stream {
    private final Thread thread;

    @GuardedBy("this")
    private boolean isWriting;

    @GuardedBy("this")
    private long sinceNanos;

    Stream(Thread thread) {
      this.thread = thread;
    }

    void write(OutputStream out, byte[] bytes) throws IOException {
      begin();
      try {
        out.write(bytes);
        out.flush();
      } finally {
        end();
      }
    }

    private synchronized void begin() {
      isWriting = true;
      sinceNanos = System.nanoTime();
    }

    private synchronized void end() {
      isWriting = false;
    }

    /** Interrupting a thread that writes into a socket closes the socket. */
    synchronized void endIfStalled(long nowNanos) {
      if (isWriting && nowNanos - sinceNanos > writeNanos) {
        thread.interrupt();
      }
    }
  }
}
