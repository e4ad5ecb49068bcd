package io.github.stablecut.examples.bench.wire;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * A port at which plain Netty forwards bytes to another port, and back: the minimum cost of
 * forwarding a request to another node. Thread-safe.
 */
final class NettyProxy implements AutoCloseable {
  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final ChannelFuture bound;

  NettyProxy(InetSocketAddress target) {
    bound =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .childOption(ChannelOption.AUTO_READ, false)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    connect(channel, target);
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0)
            .syncUninterruptibly();
  }

  /** Connects to the target; both connections share an event loop. */
  private static void connect(SocketChannel from, InetSocketAddress target) {
    new Bootstrap()
        .group(from.eventLoop())
        .channel(NioSocketChannel.class)
        .option(ChannelOption.TCP_NODELAY, true)
        .handler(new ForwardingHandler(from))
        .connect(target)
        .addListener(
            (ChannelFutureListener)
                connected -> {
                  from.pipeline().addLast(new ForwardingHandler(connected.channel()));
                  from.config().setAutoRead(true);
                });
  }

  /** Forwards what it reads. */
  private static final class ForwardingHandler extends ChannelInboundHandlerAdapter {
    private final Channel to;

    ForwardingHandler(Channel to) {
      this.to = to;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // a failure reaches the handler as an exception
    public void channelRead(ChannelHandlerContext context, Object bytes) {
      to.write(bytes, to.voidPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      to.flush();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      to.close().addListener(ChannelFutureListener.FIRE_EXCEPTION_ON_FAILURE);
    }
  }

  InetSocketAddress address() {
    return (InetSocketAddress) bound.channel().localAddress();
  }

  @Override
  public void close() {
    bound.channel().close().awaitUninterruptibly();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2_000);
  }
}
