package io.github.stablecut.cluster.internal.register;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.internal.thread.Backoff;
import io.github.stablecut.internal.thread.Threads;
import io.github.stablecut.log.Log;
import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.slf4j.Logger;

/**
 * A node's part of the register, as Ratis runs it. Ratis takes part in nothing any more after an
 * error of its disk, or closes itself: then it is opened again from its directory, again and again
 * until that goes well. A thread of its own, {@code register-watch}, looks. Thread-safe.
 */
final class RegisterServer implements AutoCloseable {
  private static final Logger LOG = Log.of(RegisterServer.class);
  private static final long LOOK_MILLIS = 500;
  private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Makes a server that is not started yet. */
  interface Maker {
    /**
     * Makes one.
     *
     * @param failed is called when the server can't write its log any more
     */
    RaftServer make(Runnable failed) throws IOException;
  }

  private final RaftGroupId group;
  private final Maker maker;
  private final ScheduledExecutorService watch =
      Executors.newSingleThreadScheduledExecutor(task -> Threads.daemon("register-watch", task));
  private volatile RaftServer server;

  /** The last server that could not write its log. */
  private volatile int failed = -1;

  /** The servers are numbered. */
  @GuardedBy("this")
  private int number;

  /** So long after a failure to open it that is tried again. */
  @GuardedBy("this")
  private final Backoff pause = new Backoff(FIRST_PAUSE_NANOS);

  @GuardedBy("this")
  private long triedAt = System.nanoTime();

  @GuardedBy("this")
  private boolean isClosed;

  private RegisterServer(RaftGroupId group, Maker maker, RaftServer first) {
    this.group = group;
    this.maker = maker;
    this.server = first;
  }

  /** Starts it. */
  static RegisterServer start(RaftGroupId group, Maker maker) throws IOException {
    RegisterServer[] started = new RegisterServer[1];
    RaftServer first = maker.make(() -> started[0].failed = 0);
    started[0] = new RegisterServer(group, maker, first);
    try {
      first.start();
    } catch (CompletionException e) {
      // Ratis wraps what its threads throw.
      started[0].close();
      throw new IOException(String.valueOf(e.getCause()), e);
    } catch (IOException | RuntimeException e) {
      started[0].close();
      throw e;
    }
    var unused =
        started[0].watch.scheduleWithFixedDelay(
            started[0]::lookAgainLater, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    return started[0];
  }

  /** The server that takes part now; perhaps it does not any more. */
  RaftServer server() {
    return server;
  }

  /** Also after an error, which would end the schedule. */
  private void lookAgainLater() {
    try {
      look();
    } catch (RuntimeException | Error e) {
      LOG.error("the configuration register can't be looked after, which is tried again", e);
    }
  }

  private synchronized void look() {
    if (isClosed || !hasEnded() || !pause.isOver(System.nanoTime())) {
      return;
    }
    LOG.warn("this node's part of the configuration register has failed, and is opened again");
    triedAt = System.nanoTime();
    pause.begin(triedAt);
    try {
      closeServer();
      int next = ++number;
      RaftServer opened = maker.make(() -> failed = next);
      server = opened;
      startOrFail(opened, next);
    } catch (IOException e) {
      LOG.warn(
          "the configuration register can't be opened, which is tried again: {}", IoReason.of(e));
    } catch (RuntimeException e) {
      LOG.warn("the configuration register can't be opened, which is tried again", e);
    }
  }

  /** One that was not started counts as alive, as Ratis sees it. */
  private void startOrFail(RaftServer opened, int its) throws IOException {
    boolean isStarted = false;
    try {
      opened.start();
      isStarted = true;
    } finally {
      if (!isStarted) {
        failed = its;
      }
    }
  }

  @GuardedBy("this")
  private boolean hasEnded() {
    if (failed == number || server.getLifeCycleState().isClosingOrClosed()) {
      return true;
    }
    try {
      if (server.getDivision(group).getInfo().isAlive()) {
        if (System.nanoTime() - triedAt > Backoff.MAX_NANOS) {
          pause.end();
        }
        return false;
      }
      return true;
    } catch (IOException e) {
      return true;
    }
  }

  @GuardedBy("this")
  private void closeServer() {
    try {
      server.close();
    } catch (IOException | RuntimeException e) {
      LOG.info("the configuration register was closed: {}", e.toString());
    }
  }

  @Override
  public void close() {
    watch.shutdown();
    synchronized (this) {
      isClosed = true;
      closeServer();
    }
  }
}
