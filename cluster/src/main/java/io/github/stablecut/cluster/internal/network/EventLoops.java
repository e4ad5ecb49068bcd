package io.github.stablecut.cluster.internal.network;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The threads that all sockets share; nothing on them may block. Thread-safe. */
public final class EventLoops implements AutoCloseable {
  private final EventLoopGroup group;

  /**
   * Starts threads.
   *
   * @param name of the threads, before their number
   */
  public EventLoops(String name, int threads) {
    this.group =
        new MultiThreadIoEventLoopGroup(
            threads, new DefaultThreadFactory(name, true), NioIoHandler.newFactory());
  }

  /** What is wrong with the threads; empty if nothing is. */
  public Optional<String> trouble() {
    for (EventExecutor loop : group) {
      if (loop.isShuttingDown() && !group.isShuttingDown()) {
        return Optional.of(
            "a thread for sockets has ended because of an error that the log has: start the server again");
      }
    }
    return Optional.empty();
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
