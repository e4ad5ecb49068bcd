package io.github.stablecut.cluster.internal.network;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;

/** The threads that all sockets share; nothing on them may block. Thread-safe. */
public final class EventLoops implements AutoCloseable {
  private final EventLoopGroup group;

  /** Starts threads called {@code stablecut-net-…}. */
  public EventLoops(int threads) {
    this.group =
        new MultiThreadIoEventLoopGroup(
            threads, new DefaultThreadFactory("stablecut-net", true), NioIoHandler.newFactory());
  }

  EventLoopGroup group() {
    return group;
  }

  /** Ends the threads, which have nothing to do any more. */
  @Override
  public void close() {
    var unused = group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2_000);
  }
}
