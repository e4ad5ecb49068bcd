package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.thread.FireAndForget;
import io.github.stablecut.internal.thread.Threads;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;

/**
 * Periodically renews this client's handles and transactions on their servers. Each server has its
 * own thread, so a silent server delays no other. A failed renewal is retried at the next interval.
 * Thread-safe.
 */
final class KeepAlive implements AutoCloseable {
  /** Maximum time that {@link #close} waits for silent servers. */
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

  private static final ThreadFactory THREADS = task -> Threads.daemon("stablecut-keep-alive", task);

  private final Map<ServerPool, ServerHandles> needed = new ConcurrentHashMap<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(THREADS);
  private final BiFunction<ServerPool, List<Bytes>, List<Bytes>> renewal;
  private final ExecutorService workers = Executors.newCachedThreadPool(THREADS);

  /** The handles and transactions that this client holds on a server. */
  private static final class ServerHandles {
    /** The handles, each with the action to run once it is lost. */
    private final Map<Bytes, Runnable> descriptors = new ConcurrentHashMap<>();

    /** Whether a renewal is running. */
    private final AtomicBoolean isRenewing = new AtomicBoolean();

    /** Calls that release handles and have not been sent yet. */
    private final Queue<Call> pendingReleases = new ConcurrentLinkedQueue<>();

    /** Whether a thread is sending {@link #pendingReleases}. */
    private final AtomicBoolean isReleasing = new AtomicBoolean();
  }

  /**
   * @param interval the pause between two renewals
   * @param renewal renews handles at a server and returns those that the server does not know
   */
  KeepAlive(Duration interval, BiFunction<ServerPool, List<Bytes>, List<Bytes>> renewal) {
    this.renewal = renewal;
    long millis = interval.toMillis();
    FireAndForget.repeat(timer, millis, "the renewal of handles", this::renewAll);
  }

  /** Starts renewing a handle whose loss its user notices. */
  void add(ServerPool server, Bytes descriptor) {
    add(server, descriptor, () -> {});
  }

  /**
   * Starts renewing a handle.
   *
   * @param lost called each time the server does not know the handle, or can't be reached; may
   *     block. Throws {@link ServerUnavailableException} if no server can be reached
   */
  void add(ServerPool server, Bytes descriptor, Runnable lost) {
    needed(server).descriptors.put(descriptor, lost);
  }

  /** Stops renewing a handle. */
  void remove(ServerPool server, Bytes descriptor) {
    ServerHandles of = needed.get(server);
    if (of != null) {
      of.descriptors.remove(descriptor);
    }
  }

  /**
   * Releases a handle at a server without waiting. If the call fails, the unrenewed handle expires
   * at the server.
   */
  void end(ServerPool server, Call ending) {
    ServerHandles of = needed(server);
    of.pendingReleases.add(ending);
    startReleasing(server, of);
  }

  private void startReleasing(ServerPool server, ServerHandles of) {
    if (!of.pendingReleases.isEmpty() && of.isReleasing.compareAndSet(false, true)) {
      try {
        workers.execute(() -> sendReleases(server, of));
      } catch (RuntimeException | Error e) {
        // The executor is closed, or no thread can be started.
        of.pendingReleases.clear();
        of.isReleasing.set(false);
      }
    }
  }

  private void sendReleases(ServerPool server, ServerHandles of) {
    try {
      for (Call next = of.pendingReleases.poll(); next != null; next = of.pendingReleases.poll()) {
        sendRelease(server, next);
      }
    } catch (ServerUnavailableException e) {
      // The next call would time out as well.
      of.pendingReleases.clear();
    } finally {
      of.isReleasing.set(false);
    }
    startReleasing(server, of);
  }

  private static void sendRelease(ServerPool server, Call ending) {
    try {
      server.call(ending);
    } catch (ServerUnavailableException e) {
      throw e;
    } catch (StablecutException e) {
      // The unrenewed handle expires.
    }
  }

  private ServerHandles needed(ServerPool server) {
    return needed.computeIfAbsent(server, any -> new ServerHandles());
  }

  /** Starts a renewal at each server, on other threads. */
  void renewAll() {
    needed.forEach(this::startRenewing);
  }

  private void startRenewing(ServerPool server, ServerHandles of) {
    if (!of.descriptors.isEmpty() && of.isRenewing.compareAndSet(false, true)) {
      try {
        workers.execute(() -> renew(server, of));
      } catch (RuntimeException | Error e) {
        // The executor is closed, or no thread can be started: the timer retries.
        of.isRenewing.set(false);
      }
    }
  }

  private void renew(ServerPool server, ServerHandles of) {
    try {
      notifyLost(of, unknown(server, List.copyOf(of.descriptors.keySet())));
    } finally {
      of.isRenewing.set(false);
    }
  }

  /** Renews handles and returns those that the server does not know; all if the call fails. */
  private List<Bytes> unknown(ServerPool server, List<Bytes> all) {
    try {
      return renewal.apply(server, all);
    } catch (ServerUnavailableException e) {
      return all;
    } catch (RetryException e) {
      // The server keeps its handles; the next renewal follows.
      return List.of();
    } catch (StablecutException e) {
      return all;
    }
  }

  private static void notifyLost(ServerHandles of, List<Bytes> descriptors) {
    try {
      for (Bytes descriptor : descriptors) {
        Runnable lost = of.descriptors.get(descriptor);
        if (lost != null) {
          lost.run();
        }
      }
    } catch (ServerUnavailableException e) {
      // No server is reachable for the others either; the next renewal retries.
    }
  }

  /** Releases all handles. Silent servers expire them without further renewals. */
  @Override
  public void close() {
    timer.shutdownNow();
    needed.forEach(this::releaseAll);
    workers.shutdown();
    try {
      if (!workers.awaitTermination(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        workers.shutdownNow();
      }
    } catch (InterruptedException e) {
      workers.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  private void releaseAll(ServerPool server, ServerHandles of) {
    for (Bytes descriptor : of.descriptors.keySet()) {
      of.pendingReleases.add(new Call.Close(descriptor));
    }
    of.descriptors.clear();
    startReleasing(server, of);
  }
}
