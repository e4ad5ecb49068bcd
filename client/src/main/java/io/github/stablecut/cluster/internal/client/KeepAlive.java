package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.error.StablecutException;
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
 * Tells servers now and then which of the transactions, pins, scans and watches that they keep are
 * still needed: each on a thread of its own, so that none waits for one that is silent. Whatever is
 * thrown, they are told again. Thread-safe.
 */
final class KeepAlive implements AutoCloseable {
  /** So long, at most, {@link #close} waits for servers that are silent. */
  private static final Duration PARTING = Duration.ofSeconds(1);

  private static final ThreadFactory THREADS = task -> Threads.daemon("stablecut-keep-alive", task);

  private final Map<ServerPool, Needed> needed = new ConcurrentHashMap<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(THREADS);
  private final BiFunction<ServerPool, List<Bytes>, List<Bytes>> renewal;
  private final ExecutorService tellers = Executors.newCachedThreadPool(THREADS);

  /** What is needed of a server. */
  private static final class Needed {
    /** What is done if it is lost. */
    private final Map<Bytes, Runnable> descriptors = new ConcurrentHashMap<>();

    /** Whether the server is just being told. */
    private final AtomicBoolean isTold = new AtomicBoolean();

    /** What the server is to be told of what is not needed any more. */
    private final Queue<Call> endings = new ConcurrentLinkedQueue<>();

    /** Whether somebody tells that. */
    private final AtomicBoolean isEnded = new AtomicBoolean();
  }

  /**
   * @param interval how long after one telling is the next
   * @param renewal tells a server what is needed, and returns what it does not know
   */
  KeepAlive(Duration interval, BiFunction<ServerPool, List<Bytes>, List<Bytes>> renewal) {
    this.renewal = renewal;
    long millis = interval.toMillis();
    var unused = timer.scheduleWithFixedDelay(this::tellAll, millis, millis, TimeUnit.MILLISECONDS);
  }

  /** Something is needed from now on. Whoever uses it finds out if it is lost. */
  void add(ServerPool server, Bytes descriptor) {
    add(server, descriptor, () -> {});
  }

  /**
   * Something is needed from now on.
   *
   * @param lost called each time the server says that it does not know it, or can't be asked; may
   *     block. If no server can be asked it throws {@link ServerUnavailableException}
   */
  void add(ServerPool server, Bytes descriptor, Runnable lost) {
    var unused = needed(server).descriptors.put(descriptor, lost);
  }

  /** Something is not needed any more. */
  void remove(ServerPool server, Bytes descriptor) {
    Needed of = needed.get(server);
    Runnable unused = of == null ? null : of.descriptors.remove(descriptor);
  }

  /**
   * Tells a server that something is not needed any more, which nobody waits for. If it can't be
   * told, it ends that by itself when it has not heard of it for long enough.
   */
  void end(ServerPool server, Call ending) {
    Needed of = needed(server);
    boolean unused = of.endings.add(ending);
    beginEnding(server, of);
  }

  private void beginEnding(ServerPool server, Needed of) {
    if (!of.endings.isEmpty() && of.isEnded.compareAndSet(false, true)) {
      try {
        tellers.execute(() -> tellEndings(server, of));
      } catch (RuntimeException | Error e) {
        // It is closed, or there is no thread now.
        of.endings.clear();
        of.isEnded.set(false);
      }
    }
  }

  private void tellEndings(ServerPool server, Needed of) {
    try {
      for (Call next = of.endings.poll(); next != null; next = of.endings.poll()) {
        tellEnding(server, next);
      }
    } catch (ServerUnavailableException e) {
      // Who comes next would wait as long.
      of.endings.clear();
    } finally {
      of.isEnded.set(false);
    }
    beginEnding(server, of);
  }

  private static void tellEnding(ServerPool server, Call ending) {
    try {
      Answer unused = server.call(ending);
    } catch (ServerUnavailableException e) {
      throw e;
    } catch (StablecutException e) {
      // It ends by itself.
    }
  }

  private Needed needed(ServerPool server) {
    return needed.computeIfAbsent(server, any -> new Needed());
  }

  /** Tells each server, on other threads. */
  void tellAll() {
    try {
      needed.forEach(this::begin);
    } catch (RuntimeException | Error e) {
      // There is no memory now: the timer goes on.
    }
  }

  private void begin(ServerPool server, Needed of) {
    if (!of.descriptors.isEmpty() && of.isTold.compareAndSet(false, true)) {
      try {
        tellers.execute(() -> tell(server, of));
      } catch (RuntimeException | Error e) {
        // It is closed, or there is no thread now: the timer goes on.
        of.isTold.set(false);
      }
    }
  }

  private void tell(ServerPool server, Needed of) {
    try {
      lost(of, unknown(server, List.copyOf(of.descriptors.keySet())));
    } finally {
      of.isTold.set(false);
    }
  }

  /** What the server does not know; all if it can't be asked. */
  private List<Bytes> unknown(ServerPool server, List<Bytes> all) {
    try {
      return renewal.apply(server, all);
    } catch (ServerUnavailableException e) {
      return all;
    } catch (RetryException e) {
      // It keeps them meanwhile, and is told the next time.
      return List.of();
    } catch (StablecutException e) {
      return all;
    }
  }

  private static void lost(Needed of, List<Bytes> descriptors) {
    try {
      for (Bytes descriptor : descriptors) {
        Runnable lost = of.descriptors.get(descriptor);
        if (lost != null) {
          lost.run();
        }
      }
    } catch (ServerUnavailableException e) {
      // Nobody could be asked about the others either; the server may be back the next time.
    }
  }

  /**
   * Tells the servers that nothing is needed any more. Those that are silent end everything by
   * themselves when they have not heard of it for long enough.
   */
  @Override
  public void close() {
    var unused = timer.shutdownNow();
    needed.forEach(this::endAll);
    tellers.shutdown();
    try {
      if (!tellers.awaitTermination(PARTING.toMillis(), TimeUnit.MILLISECONDS)) {
        unused = tellers.shutdownNow();
      }
    } catch (InterruptedException e) {
      unused = tellers.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  private void endAll(ServerPool server, Needed of) {
    for (Bytes descriptor : of.descriptors.keySet()) {
      boolean unused = of.endings.add(new Call.LetGo(descriptor));
    }
    of.descriptors.clear();
    beginEnding(server, of);
  }
}
