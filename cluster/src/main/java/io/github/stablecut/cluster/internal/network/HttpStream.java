package io.github.stablecut.cluster.internal.network;

import static java.nio.charset.StandardCharsets.UTF_8;

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
 * Sends an answer bit by bit, each after the one before is with the client, on the calling thread.
 */
final class HttpStream {
  /** How often something is sent, so that a client that has gone without a word is noticed. */
  private static final Duration HEARTBEAT = Duration.ofSeconds(5);

  /** How often a stream without events looks whether the client has closed the connection. */
  private static final Duration LOOK = Duration.ofMillis(500);

  /** A client that takes nothing for so long is cut off, and its place is free for others. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** A comment among events. */
  static final byte[] HEARTBEAT_LINE = ":\n\n".getBytes(StandardCharsets.US_ASCII);

  /** The name of the event that says why there are no more. */
  static final String FAILED = "failed";

  private HttpStream() {}

  /** Sends until the client or the events end. */
  static void send(ChannelHandlerContext context, HttpEvents events) {
    try (events) {
      begin(context, events);
      boolean isThere = send(context, events.heartbeat());
      long sent = System.nanoTime();
      while (isThere && !events.isComplete()) {
        Optional<byte[]> next = events.next(LOOK);
        if (next.isPresent() || System.nanoTime() - sent >= HEARTBEAT.toNanos()) {
          isThere = send(context, next.orElseGet(events::heartbeat));
          sent = System.nanoTime();
        } else {
          isThere = context.channel().isActive();
        }
      }
      if (isThere) {
        complete(context);
      }
    } catch (InterruptedException e) {
      // The server ends. Events end well anywhere; what has to be whole breaks off.
      events.farewell().ifPresent(lines -> end(context, lines));
      Thread.currentThread().interrupt();
    } catch (StablecutException e) {
      fail(context, e);
    } finally {
      var unused = context.close();
    }
  }

  private static void end(ChannelHandlerContext context, byte[] lines) {
    var unused = context.write(new DefaultHttpContent(Unpooled.wrappedBuffer(lines)));
    unused = context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
  }

  /** An event of its own, so that the end of a server and of what it can tell are two things. */
  private static void fail(ChannelHandlerContext context, StablecutException why) {
    try {
      boolean unused = send(context, failed(String.valueOf(why.getMessage())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The event that says why there are no more. */
  static byte[] failed(String why) {
    String words = PrintableText.of(why);
    return ("event: " + FAILED + "\ndata: " + words + "\n\n").getBytes(UTF_8);
  }

  private static void begin(ChannelHandlerContext context, HttpEvents events) {
    HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    events.headers().forEach(head.headers()::set);
    head.headers()
        .set(HttpHeaderNames.CONTENT_TYPE, events.contentType())
        .set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED)
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    var unused = context.write(head);
  }

  private static boolean send(ChannelHandlerContext context, byte[] lines)
      throws InterruptedException {
    ChannelFuture sent =
        context.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(lines)));
    return sent.await(PATIENCE.toMillis()) && sent.isSuccess();
  }

  private static void complete(ChannelHandlerContext context) throws InterruptedException {
    boolean unused =
        context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT).await(PATIENCE.toMillis());
  }
}
