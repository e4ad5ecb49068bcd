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
 * Answers GET, HEAD and POST requests by their paths, one per connection, for those whom {@link
 * HttpAccess} lets through. Its threads are its own: what clients of the store do keeps no operator
 * waiting. Thread-safe.
 */
public final class HttpServer {
  private static final Logger LOG = Log.of(HttpServer.class);

  /** For the first line, and for a body: a shell's longest argument takes three quarters of it. */
  static final int MAX_REQUEST_BYTES = 512 << 10;

  private static final int MAX_HEADER_BYTES = 8 << 10;
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** For what waits for nobody for long, and the same again for what waits for the store. */
  private static final int THREADS = 4;

  /** So many connections there are at most, those included whose request waits to be answered. */
  public static final int MAX_CONNECTIONS = 64;

  /** So many windows of the console may follow events at once; each has a thread. */
  static final int MAX_STREAMS = 16;

  private final HttpAccess gate;
  private final Executor quick;
  private final ThreadPoolExecutor slow;
  private final ThreadPoolExecutor ofStore;
  private final ThreadPoolExecutor streams;
  private final EventLoops loops = new EventLoops("stablecut-http", 1);
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

  /** Those of them whose request has come, and which are closed once it is answered. */
  private final ChannelGroup asking = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

  private final LogLimit failures = new LogLimit();
  private final Channel channel;
  private volatile HttpHandler answers;

  /**
   * Opens the port.
   *
   * @param answers what requests are answered at first
   * @throws BindFailedException if the port can't be opened
   */
  public HttpServer(InetSocketAddress address, HttpAccess gate, HttpHandler answers) {
    this.gate = gate;
    this.answers = answers;
    this.quick = Runnable::run;
    this.slow = threads("stablecut-operate-", THREADS, new ArrayBlockingQueue<>(MAX_CONNECTIONS));
    this.ofStore =
        threads("stablecut-objects-", THREADS, new ArrayBlockingQueue<>(MAX_CONNECTIONS));
    this.streams = threads("stablecut-events-", MAX_STREAMS, new SynchronousQueue<>());
    try {
      this.channel = Listener.bind(loops, address, new Initializer(), true);
    } catch (RuntimeException e) {
      slow.shutdown();
      ofStore.shutdown();
      streams.shutdown();
      loops.close();
      throw e;
    }
  }

  private static ThreadPoolExecutor threads(
      String name, int most, BlockingQueue<Runnable> waiting) {
    AtomicInteger count = new AtomicInteger();
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            most,
            most,
            1,
            TimeUnit.MINUTES,
            waiting,
            task -> {
              Thread thread = new Thread(task, name + count.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** From now on requests are answered so. */
  public void answer(HttpHandler other) {
    answers = other;
  }

  /** Sets up each new connection. */
  private final class Initializer extends ChannelInitializer<SocketChannel> {
    @Override
    protected void initChannel(SocketChannel accepted) {
      if (connections.size() >= MAX_CONNECTIONS) {
        accepted.pipeline().addLast(new Listener.Quiet());
        var unused = accepted.close();
        return;
      }
      boolean unused = connections.add(accepted);
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
    /** Whether the answer's headers are wanted, without its body. */
    private volatile boolean isHead;

    /** Ends the connection when it has taken too long. */
    private volatile Future<?> end = ImmediateEventExecutor.INSTANCE.newSucceededFuture(null);

    /** However slowly it sends and takes: there are not many places. */
    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      Runnable close =
          () -> {
            var unused = context.close();
          };
      end = context.executor().schedule(close, TIMEOUT.toMillis(), MILLISECONDS);
      context.channel().closeFuture().addListener(closed -> end.cancel(false));
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
      if (!request.decoderResult().isSuccess()) {
        send(context, noRequest(request.decoderResult().cause()));
        return;
      }
      isHead = request.method().equals(HttpMethod.HEAD);
      boolean isPost = request.method().equals(HttpMethod.POST);
      if (!isPost && !isHead && !request.method().equals(HttpMethod.GET)) {
        send(context, HttpResponse.text(405, "only GET, HEAD and POST are understood here"));
        return;
      }
      try {
        RequestOrigin.check(request.headers()::getAll);
      } catch (WebException e) {
        send(context, HttpResponse.text(e.status(), String.valueOf(e.getMessage())));
        return;
      }
      gate.refusal(isPost, request.headers())
          .ifPresentOrElse(
              why -> send(context, HttpResponse.text(403, why)),
              () -> call(context, isPost, request));
    }

    private void call(ChannelHandlerContext context, boolean isPost, FullHttpRequest request) {
      HttpRequest call;
      try {
        call = call(isPost, gate.isTrusted(request.headers()), request);
      } catch (IllegalArgumentException e) {
        send(context, HttpResponse.text(400, "the parameters can't be decoded: " + e.getMessage()));
        return;
      }
      HttpHandler now = answers;
      boolean unused = asking.add(context.channel());
      try {
        if (now.isStream(call) && isHead) {
          send(context, HttpResponse.text(405, "a stream has no length to be told: GET it"));
        } else if (now.isStream(call)) {
          streams.execute(() -> stream(context, now, call));
        } else {
          threads(now, call).execute(() -> answer(context, now, call));
        }
      } catch (RejectedExecutionException e) {
        send(
            context,
            HttpResponse.text(
                503,
                "too many requests or windows of operators are open: close some, or try again"));
      }
    }

    private static HttpResponse noRequest(Throwable why) {
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
          : HttpResponse.text(400, "this is no HTTP request");
    }

    /** Whoever has gone meanwhile may have asked again: nothing is done for him. */
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
        end.cancel(false);
        HttpStream.send(context, by.events(call));
      } catch (HttpHandler.RefusedException e) {
        send(context, e.answer());
      } catch (RuntimeException | Error e) {
        LOG.debug("events for {} have ended", context.channel(), e);
        var unused = context.close();
      }
    }

    private static HttpRequest call(boolean isPost, boolean isTrusted, FullHttpRequest request) {
      byte[] form = isPost ? ByteBufUtil.getBytes(request.content()) : new byte[0];
      if (form.length > 0 && !isForm(request.headers().get(HttpHeaderNames.CONTENT_TYPE, ""))) {
        throw new IllegalArgumentException(
            "the body is no form: send it with Content-Type: application/x-www-form-urlencoded");
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
      LOG.debug("{} is closed", context.channel(), cause);
      var unused = context.close();
    }
  }

  private Executor threads(HttpHandler by, HttpRequest call) {
    if (by.isQuick(call)) {
      return quick;
    }
    return by.isOfStore(call) ? ofStore : slow;
  }

  private HttpResponse answer(HttpHandler by, HttpRequest call) {
    try {
      return by.answer(call);
    } catch (RuntimeException | Error e) {
      failures.ifAdmitted(more -> LOG.error("{} can't be answered{}", call.path(), more, e));
      return HttpResponse.text(500, "this can't be answered, and the server's log says why");
    }
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) channel.localAddress();
  }

  /**
   * Accepts no more connections, answers what has been asked, such as the order to leave that ends
   * this server, and waits for the clients to take it.
   *
   * @param patience how long it waits; then it closes what is open
   */
  public void close(Duration patience) {
    var unused = channel.close().awaitUninterruptibly(1_000);
    unused =
        connections.close(connection -> !asking.contains(connection)).awaitUninterruptibly(1_000);
    // Clients of streams are told of the end, so that they know it from a connection that breaks.
    streams.shutdownNow();
    unused = asking.newCloseFuture().awaitUninterruptibly(patience.toMillis());
    unused = connections.close().awaitUninterruptibly(1_000);
    slow.shutdown();
    ofStore.shutdown();
    loops.close();
  }
}
