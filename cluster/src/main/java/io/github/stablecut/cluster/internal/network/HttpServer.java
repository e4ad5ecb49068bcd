package io.github.stablecut.cluster.internal.network;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.timeout.ReadTimeoutHandler;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers GET and POST requests by their paths, one per connection. A POST needs the header {@value
 * #OPERATOR}, which the page of a browser can't send without being allowed to. Thread-safe.
 */
public final class HttpServer {
  /** The header of requests that change something. */
  public static final String OPERATOR = "Stablecut-Operator";

  private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);
  private static final int MAX_REQUEST_BYTES = 16 << 10;
  private static final int TIMEOUT_SECONDS = 10;

  private final Function<HttpCall, HttpAnswer> answers;
  private final Executor executor;
  private final Channel channel;

  /**
   * Opens the port.
   *
   * @param answers the answer to a request; may block
   * @param executor where it is called
   * @throws BindFailedException if the port can't be opened
   */
  public HttpServer(
      EventLoops loops,
      InetSocketAddress address,
      Function<HttpCall, HttpAnswer> answers,
      Executor executor) {
    this.answers = answers;
    this.executor = executor;
    this.channel = Listener.bind(loops, address, new Initializer());
  }

  /** Sets up each new connection. */
  private final class Initializer extends ChannelInitializer<SocketChannel> {
    @Override
    protected void initChannel(SocketChannel accepted) {
      accepted
          .pipeline()
          .addLast(
              new ReadTimeoutHandler(TIMEOUT_SECONDS),
              new HttpServerCodec(),
              new HttpObjectAggregator(MAX_REQUEST_BYTES),
              new Handler());
    }
  }

  /** One connection. */
  private final class Handler extends SimpleChannelInboundHandler<FullHttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
      if (!request.decoderResult().isSuccess()) {
        send(context, HttpAnswer.text(400, "this is no HTTP request"));
        return;
      }
      boolean isPost = request.method().equals(HttpMethod.POST);
      if (!isPost && !request.method().equals(HttpMethod.GET)) {
        send(context, HttpAnswer.text(405, "only GET and POST are understood here"));
      } else if (isPost && !request.headers().contains(OPERATOR)) {
        send(context, HttpAnswer.text(403, "a POST needs the header " + OPERATOR));
      } else {
        call(context, isPost, request.uri());
      }
    }

    private void call(ChannelHandlerContext context, boolean isPost, String uri) {
      HttpCall call;
      try {
        call = call(isPost, uri);
      } catch (IllegalArgumentException e) {
        send(
            context,
            HttpAnswer.text(
                400, "the URL can't be decoded: after each % come two hexadecimal digits"));
        return;
      }
      executor.execute(() -> send(context, answer(call)));
    }

    private static HttpCall call(boolean isPost, String uri) {
      QueryStringDecoder decoder = new QueryStringDecoder(uri);
      Map<String, String> parameters = new HashMap<>();
      decoder.parameters().forEach((name, values) -> parameters.put(name, values.get(0)));
      return new HttpCall(isPost, decoder.path(), parameters);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      LOG.debug("{} is closed", context.channel(), cause);
      var unused = context.close();
    }
  }

  private HttpAnswer answer(HttpCall call) {
    try {
      return answers.apply(call);
    } catch (RuntimeException e) {
      LOG.error("{} can't be answered", call.path(), e);
      return HttpAnswer.text(500, "this can't be answered, and the server's log says why");
    }
  }

  private static void send(ChannelHandlerContext context, HttpAnswer answer) {
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.valueOf(answer.status()),
            Unpooled.wrappedBuffer(answer.body().getBytes(UTF_8)));
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, answer.contentType())
        .set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes())
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) channel.localAddress();
  }

  /** Closes the port. */
  public void close() {
    var unused = channel.close().awaitUninterruptibly(1_000);
  }
}
