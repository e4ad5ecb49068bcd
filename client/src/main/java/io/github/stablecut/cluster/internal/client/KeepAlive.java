package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.thread.Threads;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Tells servers now and then which of the transactions, pins, scans and watches that they keep are
 * still needed: each on a thread of its own, so that none waits for one that is silent. Whatever is
 * thrown, they are told again. Thread-safe.
 */
final class KeepAlive implements AutoCloseable {
  static final Duration INTERVAL = Duration.ofSeconds(15);

  private static final ThreadFactory THREADS = task -> Threads.daemon("stablecut-keep-alive", task);

  private final Map<ServerPool, Needed> needed = new ConcurrentHashMap<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(THREADS);
  private final ExecutorService tellers = Executors.newCachedThreadPool(THREADS);

  /** What is needed of a server. */
  private static final class Needed {
    private final Set<Bytes> descriptors = ConcurrentHashMap.newKeySet();

    /** Whether the server is just being told. */
    private final AtomicBoolean isTold = new AtomicBoolean();
  }

  /**
   * @param interval how long after one telling is the next
   */
  KeepAlive(Duration interval) {
    long millis = interval.toMillis();
    var unused = timer.scheduleWithFixedDelay(this::tellAll, millis, millis, TimeUnit.MILLISECONDS);
  }

  /** Something is needed from now on. */
  void add(ServerPool server, Bytes descriptor) {
    boolean unused =
        needed.computeIfAbsent(server, any -> new Needed()).descriptors.add(descriptor);
  }

  /** Something is not needed any more. */
  void remove(ServerPool server, Bytes descriptor) {
    Needed of = needed.get(server);
    boolean unused = of != null && of.descriptors.remove(descriptor);
  }

  private void tellAll() {
    needed.forEach(
        (server, of) -> {
          if (!of.descriptors.isEmpty() && of.isTold.compareAndSet(false, true)) {
            try {
              tellers.execute(() -> tell(server, of));
            } catch (RuntimeException | Error e) {
              // It is closed, or there is no thread now: the timer goes on.
              of.isTold.set(false);
            }
          }
        });
  }

  private static void tell(ServerPool server, Needed of) {
    try {
      RemoteValues.done(server.call(new Call.Renew(List.copyOf(of.descriptors))));
    } catch (StablecutException e) {
      // Whoever uses them next finds out; until then they are renewed again.
    } finally {
      of.isTold.set(false);
    }
  }

  @Override
  public void close() {
    var unused = timer.shutdownNow();
    unused = tellers.shutdownNow();
  }
}
