package io.github.stablecut.examples.bench.wire;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** A port at which plain Netty answers every frame with the same one. Thread-safe. */
public final class NettyEcho implements AutoCloseable {
  private static final int MAX_FRAME_BYTES = 1 << 20;

  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final ChannelFuture bound;

  /**
   * @param answer the frame with its length
   */
  public NettyEcho(byte[] answer) {
    bound =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    channel
                        .pipeline()
                        .addLast(
                            new LengthFieldBasedFrameDecoder(
                                MAX_FRAME_BYTES, 0, Integer.BYTES, 0, Integer.BYTES),
                            new AnswerHandler(answer));
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0)
            .syncUninterruptibly();
  }

  /** Answers every frame. */
  private static final class AnswerHandler extends SimpleChannelInboundHandler<ByteBuf> {
    private final byte[] answer;

    AnswerHandler(byte[] answer) {
      this.answer = answer;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
      context
          .writeAndFlush(Unpooled.wrappedBuffer(answer))
          .addListener(ChannelFutureListener.FIRE_EXCEPTION_ON_FAILURE);
    }
  }

  public InetSocketAddress address() {
    return (InetSocketAddress) bound.channel().localAddress();
  }

  @Override
  public void close() {
    bound.channel().close().awaitUninterruptibly();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2_000);
  }
}
