package io.github.stablecut.cluster.internal.register;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.internal.thread.Backoff;
import io.github.stablecut.internal.thread.FireAndForget;
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
 * The Ratis server of a node's part of the register. After a disk error, Ratis stops participating
 * or closes itself. The thread {@code register-watch} detects that, and reopens the server from its
 * directory, with retries until it succeeds. Thread-safe.
 */
final class RegisterServer implements AutoCloseable {
  private static final Logger LOG = Log.of(RegisterServer.class);
  private static final long CHECK_MILLIS = 500;
  private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Creates servers. */
  interface Factory {
    /**
     * Creates a server without starting it.
     *
     * @param onLogFailure called when the server can no longer write its log
     */
    RaftServer create(Runnable onLogFailure) throws IOException;
  }

  private final RaftGroupId group;
  private final Factory factory;
  private final ScheduledExecutorService scheduler =
      Executors.newSingleThreadScheduledExecutor(task -> Threads.daemon("register-watch", task));
  private volatile RaftServer server;

  /** The number of the last server that failed to write its log or to start; -1 if none has. */
  private volatile int lastFailed = -1;

  /** The number of the current server, counted from 0. */
  @GuardedBy("this")
  private int number;

  /** The delay between attempts to open a server. */
  @GuardedBy("this")
  private final Backoff backoff = new Backoff(FIRST_PAUSE_NANOS);

  @GuardedBy("this")
  private long triedAtNanos = System.nanoTime();

  @GuardedBy("this")
  private boolean isClosed;

  private RegisterServer(RaftGroupId group, Factory factory, RaftServer first) {
    this.group = group;
    this.factory = factory;
    this.server = first;
  }

  /** Opens and starts the first server. */
  static RegisterServer start(RaftGroupId group, Factory factory) throws IOException {
    RegisterServer[] started = new RegisterServer[1];
    RaftServer first = factory.create(() -> started[0].lastFailed = 0);
    started[0] = new RegisterServer(group, factory, first);
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
    FireAndForget.repeat(
        started[0].scheduler, CHECK_MILLIS, "the check of the register", started[0]::check);
    return started[0];
  }

  /** The current server, which may have failed. */
  RaftServer server() {
    return server;
  }

  private synchronized void check() {
    if (isClosed || !hasFailed() || !backoff.isOver(System.nanoTime())) {
      return;
    }
    LOG.warn("this node's part of the configuration register has failed; reopening it");
    triedAtNanos = System.nanoTime();
    backoff.begin(triedAtNanos);
    try {
      closeServer();
      int next = ++number;
      RaftServer opened = factory.create(() -> lastFailed = next);
      server = opened;
      startOrFail(opened, next);
    } catch (IOException e) {
      LOG.warn("can't open the configuration register; retrying: {}", IoReason.of(e));
    } catch (RuntimeException e) {
      LOG.warn("can't open the configuration register; retrying", e);
    }
  }

  /** Starts a server; marks it as failed if it can't start, as Ratis would consider it alive. */
  private void startOrFail(RaftServer opened, int openedNumber) throws IOException {
    boolean isStarted = false;
    try {
      opened.start();
      isStarted = true;
    } finally {
      if (!isStarted) {
        lastFailed = openedNumber;
      }
    }
  }

  @GuardedBy("this")
  private boolean hasFailed() {
    if (lastFailed == number || server.getLifeCycleState().isClosingOrClosed()) {
      return true;
    }
    try {
      if (server.getDivision(group).getInfo().isAlive()) {
        if (System.nanoTime() - triedAtNanos > Backoff.MAX_NANOS) {
          backoff.end();
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
      LOG.info("closing the configuration register failed: {}", e.toString());
    }
  }

  @Override
  public void close() {
    scheduler.shutdown();
    synchronized (this) {
      isClosed = true;
      closeServer();
    }
  }
}
