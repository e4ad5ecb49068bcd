package io.github.stablecut.cluster.internal.network;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.github.stablecut.log.Log;
import io.github.stablecut.log.LogLimit;
import io.github.stablecut.web.RequestOrigin;
import io.github.stablecut.web.WebException;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
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
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;

/**
 * The HTTP server of the admin port: answers GET, HEAD and POST requests that {@link HttpAccess}
 * permits, one per connection. Has its own threads, so that the store's clients can't delay
 * administrators. Thread-safe.
 */
public final class HttpServer {
  private static final Logger LOG = Log.of(HttpServer.class);

  /** Maximum of the first line and of a body; a shell's longest argument is 3/4 of it. */
  static final int MAX_REQUEST_BYTES = 512 << 10;

  private static final int MAX_HEADER_BYTES = 8 << 10;
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** Threads for slow requests, and as many for requests that wait for the store. */
  private static final int THREADS = 4;

  /** Maximum number of connections, including those whose request awaits its answer. */
  public static final int MAX_CONNECTIONS = 64;

  /** Maximum number of event streams, such as console windows; each has a thread. */
  static final int MAX_STREAMS = 16;

  private final HttpAccess access;
  private final Executor eventLoop;
  private final ThreadPoolExecutor slowThreads;
  private final ThreadPoolExecutor storeThreads;
  private final ThreadPoolExecutor streams;
  private final EventLoops loops = new EventLoops("stablecut-http", 1);
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

  /** The connections whose request has arrived; closed once it is answered. */
  private final ChannelGroup busy = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

  private final LogLimit failures = new LogLimit();
  private final Channel channel;
  private volatile HttpHandler handler;

  /**
   * Opens the port.
   *
   * @param handler answers requests until {@link #answer} replaces it
   * @throws BindFailedException if the port can't be opened
   */
  public HttpServer(InetSocketAddress address, HttpAccess access, HttpHandler handler) {
    this.access = access;
    this.handler = handler;
    this.eventLoop = Runnable::run;
    this.slowThreads =
        threads("stablecut-operate-", THREADS, new ArrayBlockingQueue<>(MAX_CONNECTIONS));
    this.storeThreads =
        threads("stablecut-objects-", THREADS, new ArrayBlockingQueue<>(MAX_CONNECTIONS));
    this.streams = threads("stablecut-events-", MAX_STREAMS, new SynchronousQueue<>());
    try {
      this.channel = Listener.bind(loops, address, new Initializer(), true);
    } catch (RuntimeException e) {
      slowThreads.shutdown();
      storeThreads.shutdown();
      streams.shutdown();
      loops.close();
      throw e;
    }
  }

  private static ThreadPoolExecutor threads(
      String name, int count, BlockingQueue<Runnable> waiting) {
    AtomicInteger number = new AtomicInteger();
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            count,
            count,
            1,
            TimeUnit.MINUTES,
            waiting,
            task -> {
              Thread thread = new Thread(task, name + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** Replaces the handler of requests. */
  public void answer(HttpHandler other) {
    handler = other;
  }

  /** Sets up each new connection. */
  private final class Initializer extends ChannelInitializer<SocketChannel> {
    @Override
    protected void initChannel(SocketChannel accepted) {
      if (connections.size() >= MAX_CONNECTIONS) {
        accepted.pipeline().addLast(new Listener.Quiet());
        Channels.close(accepted);
        return;
      }
      connections.add(accepted);
      accepted
          .pipeline()
          .addLast(
              new HttpServerCodec(MAX_REQUEST_BYTES, MAX_HEADER_BYTES, MAX_HEADER_BYTES),
              new HttpObjectAggregator(MAX_REQUEST_BYTES),
              new Handler());
    }
  }

  /** One connection. */
  private final class Handler extends SimpleChannelInboundHandler<FullHttpRequest> {
    /** Whether only the answer's headers are requested. */
    private volatile boolean isHead;

    /** Closes the connection on timeout. */
    private volatile Future<?> timeout = ImmediateEventExecutor.INSTANCE.newSucceededFuture(null);

    /** Limits the connection's lifetime, however slow the client is: connections are few. */
    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      Runnable close =
          () -> {
            Channels.close(context);
          };
      timeout = context.executor().schedule(close, TIMEOUT.toMillis(), MILLISECONDS);
      context.channel().closeFuture().addListener(closed -> timeout.cancel(false));
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
      if (!request.decoderResult().isSuccess()) {
        send(context, malformed(request.decoderResult().cause()));
        return;
      }
      isHead = request.method().equals(HttpMethod.HEAD);
      boolean isPost = request.method().equals(HttpMethod.POST);
      if (!isPost && !isHead && !request.method().equals(HttpMethod.GET)) {
        send(context, HttpResponse.text(405, "this server accepts only GET, HEAD and POST"));
        return;
      }
      try {
        RequestOrigin.check(request.headers()::getAll);
      } catch (WebException e) {
        send(context, HttpResponse.text(e.status(), String.valueOf(e.getMessage())));
        return;
      }
      access
          .refusal(isPost, request.headers())
          .ifPresentOrElse(
              why -> send(context, HttpResponse.text(403, why)),
              () -> call(context, isPost, request));
    }

    private void call(ChannelHandlerContext context, boolean isPost, FullHttpRequest request) {
      HttpRequest call;
      try {
        call = call(isPost, access.isTrusted(request.headers()), request);
      } catch (IllegalArgumentException e) {
        send(context, HttpResponse.text(400, "the parameters can't be decoded: " + e.getMessage()));
        return;
      }
      HttpHandler current = handler;
      busy.add(context.channel());
      try {
        if (current.isStream(call) && isHead) {
          send(context, HttpResponse.text(405, "the length of a stream is unknown: use GET"));
        } else if (current.isStream(call)) {
          streams.execute(() -> stream(context, current, call));
        } else {
          threads(current, call).execute(() -> answer(context, current, call));
        }
      } catch (RejectedExecutionException e) {
        send(
            context,
            HttpResponse.text(
                503, "too many requests or console windows are open: close some, or try again"));
      }
    }

    private static HttpResponse malformed(Throwable why) {
      if (why instanceof TooLongHttpHeaderException) {
        return HttpResponse.text(
            431,
            "the headers have more than %,d bytes: send fewer or shorter ones"
                .formatted(MAX_HEADER_BYTES));
      }
      return why instanceof TooLongHttpLineException
          ? HttpResponse.text(
              414,
              "the first line has more than %,d bytes: the parameters of a POST may be a form in its body"
                  .formatted(MAX_REQUEST_BYTES))
          : HttpResponse.text(400, "this is not an HTTP request");
    }

    /** Skips requests whose client has disconnected: it may have retried already. */
    private void answer(ChannelHandlerContext context, HttpHandler by, HttpRequest call) {
      if (context.channel().isActive()) {
        HttpResponse answer = HttpServer.this.answer(by, call);
        if (context.channel().isActive()) {
          send(context, answer);
        }
      }
    }

    private void stream(ChannelHandlerContext context, HttpHandler by, HttpRequest call) {
      try {
        timeout.cancel(false);
        HttpStream.send(context, by.events(call));
      } catch (HttpHandler.RefusedException e) {
        send(context, e.answer());
      } catch (RuntimeException | Error e) {
        LOG.debug("event stream of {} failed", context.channel(), e);
        Channels.close(context);
      }
    }

    private static HttpRequest call(boolean isPost, boolean isTrusted, FullHttpRequest request) {
      byte[] form = isPost ? ByteBufUtil.getBytes(request.content()) : new byte[0];
      if (form.length > 0 && !isForm(request.headers().get(HttpHeaderNames.CONTENT_TYPE, ""))) {
        throw new IllegalArgumentException(
            "the body is not a form: send it with Content-Type: application/x-www-form-urlencoded");
      }
      HttpParameters parameters = HttpParameters.decode(request.uri(), form);
      return new HttpRequest(isPost, isTrusted, parameters.path(), parameters.all());
    }

    private static boolean isForm(String contentType) {
      CharSequence type = HttpUtil.getMimeType(contentType);
      return type != null
          && HttpHeaderValues.APPLICATION_X_WWW_FORM_URLENCODED.contentEqualsIgnoreCase(type);
    }

    private void send(ChannelHandlerContext context, HttpResponse answer) {
      byte[] body = answer.body().toArray();
      FullHttpResponse response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1,
              HttpResponseStatus.valueOf(answer.status()),
              isHead ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(body));
      answer.headers().forEach(response.headers()::set);
      response
          .headers()
          .set(HttpHeaderNames.CONTENT_TYPE, answer.contentType())
          .set(HttpHeaderNames.CONTENT_LENGTH, body.length)
          .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
      context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      LOG.debug("closed {} after an error", context.channel(), cause);
      Channels.close(context);
    }
  }

  private Executor threads(HttpHandler by, HttpRequest call) {
    if (by.isQuick(call)) {
      return eventLoop;
    }
    return by.isOfStore(call) ? storeThreads : slowThreads;
  }

  private HttpResponse answer(HttpHandler by, HttpRequest call) {
    try {
      return by.answer(call);
    } catch (RuntimeException | Error e) {
      failures.ifAdmitted(more -> LOG.error("failed to answer {}{}", call.path(), more, e));
      return HttpResponse.text(500, "the server failed on this request; see its log");
    }
  }

  /** Returns the address on which the server listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) channel.localAddress();
  }

  /**
   * Accepts no more connections, answers the received requests, such as the one to leave that ends
   * this server, and waits until clients have taken the answers.
   *
   * @param timeout how long to wait before closing the open connections
   */
  public void close(Duration timeout) {
    channel.close().awaitUninterruptibly(1_000);
    connections.close(connection -> !busy.contains(connection)).awaitUninterruptibly(1_000);
    // Streams end with an event, so that clients can tell this from a broken connection.
    streams.shutdownNow();
    busy.newCloseFuture().awaitUninterruptibly(timeout.toMillis());
    connections.close().awaitUninterruptibly(1_000);
    slowThreads.shutdown();
    storeThreads.shutdown();
    loops.close();
  }
}
