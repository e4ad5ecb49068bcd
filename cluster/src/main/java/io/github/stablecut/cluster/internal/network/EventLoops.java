package io.github.stablecut.cluster.internal.network;

import io.github.stablecut.internal.thread.FaultLog;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The threads of all sockets; tasks on them must not block. They survive errors that would end
 * Netty's own threads, whose ports would then accept connections and never answer. Thread-safe.
 */
public final class EventLoops implements AutoCloseable {
  /** Pause after a failure, so that a loop that keeps failing does not occupy a processor. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final FaultLog faults = new FaultLog();
  private final EventLoopGroup group;

  /**
   * Starts threads.
   *
   * @param name the prefix of the threads' names, before their number
   */
  public EventLoops(String name, int threads) {
    this.group =
        new Loops(threads, new DefaultThreadFactory(name, true), NioIoHandler.newFactory(), faults);
  }

  private static final class Loops extends MultiThreadIoEventLoopGroup {
    Loops(int threads, ThreadFactory factory, IoHandlerFactory handlers, FaultLog faults) {
      super(threads, factory, handlers, faults);
    }

    /** Called by the group's constructor for each thread. */
    @Override
    protected IoEventLoop newChild(
        Executor executor, IoHandlerFactory handlers, @Nullable Object... faults) {
      return new Loop(this, executor, handlers, (FaultLog) Objects.requireNonNull(faults[0]));
    }
  }

  private static final class Loop extends SingleThreadIoEventLoop {
    private final FaultLog faults;

    Loop(IoEventLoopGroup parent, Executor executor, IoHandlerFactory handlers, FaultLog faults) {
      super(parent, executor, handlers);
      this.faults = faults;
    }

    @Override
    protected void run() {
      while (!hasEnded()) {
        LockSupport.parkNanos(this, PAUSE_NANOS);
      }
    }

    private boolean hasEnded() {
      try {
        super.run();
        return true;
      } catch (RuntimeException | Error e) {
        faults.add("a thread for sockets", e);
        return false;
      }
    }
  }

  /** Returns the threads as a Netty group. */
  public EventLoopGroup group() {
    return group;
  }

  /** Ends the threads, which must be idle. */
  @Override
  public void close() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2_000);
  }
}
