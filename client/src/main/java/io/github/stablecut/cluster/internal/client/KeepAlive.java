package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.StablecutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Tells servers now and then which of the transactions, pins, scans and watches that they keep are
 * still needed. Has a thread of its own. Thread-safe.
 */
final class KeepAlive implements AutoCloseable {
  private static final Duration INTERVAL = Duration.ofSeconds(15);

  private final Map<ServerPool, Set<Bytes>> needed = new ConcurrentHashMap<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "stablecut-keep-alive");
            thread.setDaemon(true);
            return thread;
          });

  KeepAlive() {
    long millis = INTERVAL.toMillis();
    var unused = timer.scheduleWithFixedDelay(this::tell, millis, millis, TimeUnit.MILLISECONDS);
  }

  /** Something is needed from now on. */
  void add(ServerPool server, Bytes descriptor) {
    boolean unused =
        needed.computeIfAbsent(server, any -> ConcurrentHashMap.newKeySet()).add(descriptor);
  }

  /** Something is not needed any more. */
  void remove(ServerPool server, Bytes descriptor) {
    boolean unused = needed.getOrDefault(server, Set.of()).remove(descriptor);
  }

  private void tell() {
    needed.forEach(
        (server, descriptors) -> {
          if (!descriptors.isEmpty()) {
            try {
              RemoteValues.done(server.call(new Call.Renew(List.copyOf(descriptors))));
            } catch (StablecutException e) {
              // Whoever uses them next finds out.
            }
          }
        });
  }

  @Override
  public void close() {
    var unused = timer.shutdownNow();
  }
}
