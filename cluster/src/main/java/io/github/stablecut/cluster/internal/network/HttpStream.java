package io.github.stablecut.cluster.internal.network;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.error.PrintableText;
import io.github.stablecut.error.StablecutException;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/**
 * Sends an answer in parts on the calling thread. Each part follows after the client has received
 * the one before.
 */
final class HttpStream {
  /** The longest silence on a stream; sending detects vanished clients. */
  private static final Duration HEARTBEAT = Duration.ofSeconds(5);

  /** The interval at which a stream without events checks whether the client has disconnected. */
  private static final Duration CHECK_INTERVAL = Duration.ofMillis(500);

  /** A client that takes nothing for this long is disconnected, to free its place. */
  private static final Duration SEND_TIMEOUT = Duration.ofSeconds(20);

  /** A comment among events. */
  static final byte[] HEARTBEAT_LINE = ":\n\n".getBytes(StandardCharsets.US_ASCII);

  /** The name of the event that reports why the stream failed. */
  static final String FAILED = "failed";

  private HttpStream() {}

  /** Sends until the events end or the client disconnects. */
  static void send(ChannelHandlerContext context, HttpEvents events) {
    try (events) {
      begin(context, events);
      boolean isConnected = send(context, events.heartbeat());
      long sentNanos = System.nanoTime();
      while (isConnected && !events.isComplete()) {
        Optional<byte[]> next = events.next(CHECK_INTERVAL);
        if (next.isPresent() || System.nanoTime() - sentNanos >= HEARTBEAT.toNanos()) {
          isConnected = send(context, next.orElseGet(events::heartbeat));
          sentNanos = System.nanoTime();
        } else {
          isConnected = context.channel().isActive();
        }
      }
      if (isConnected) {
        complete(context);
      }
    } catch (InterruptedException e) {
      // The server stops. Event streams end with an event; other answers are cut off.
      events.farewell().ifPresent(lines -> end(context, lines));
      Thread.currentThread().interrupt();
    } catch (StablecutException e) {
      fail(context, e);
    } finally {
      Channels.close(context);
    }
  }

  private static void end(ChannelHandlerContext context, byte[] lines) {
    Channels.write(context, new DefaultHttpContent(Unpooled.wrappedBuffer(lines)));
    Channels.write(context, LastHttpContent.EMPTY_LAST_CONTENT);
    context.flush();
  }

  /** Sends an event of its own, which tells a failure from the end of the server. */
  private static void fail(ChannelHandlerContext context, StablecutException why) {
    try {
      send(context, failed(String.valueOf(why.getMessage())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the event that reports why the stream failed. */
  static byte[] failed(String why) {
    String text = PrintableText.of(why);
    return ("event: " + FAILED + "\ndata: " + text + "\n\n").getBytes(UTF_8);
  }

  private static void begin(ChannelHandlerContext context, HttpEvents events) {
    HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    events.headers().forEach(head.headers()::set);
    head.headers()
        .set(HttpHeaderNames.CONTENT_TYPE, events.contentType())
        .set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED)
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    Channels.write(context, head);
  }

  @CanIgnoreReturnValue
  private static boolean send(ChannelHandlerContext context, byte[] lines)
      throws InterruptedException {
    ChannelFuture sent =
        context.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(lines)));
    return sent.await(SEND_TIMEOUT.toMillis()) && sent.isSuccess();
  }

  private static void complete(ChannelHandlerContext context) throws InterruptedException {
    context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT).await(SEND_TIMEOUT.toMillis());
  }
}
