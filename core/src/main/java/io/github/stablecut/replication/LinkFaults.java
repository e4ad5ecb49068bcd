package io.github.stablecut.replication;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Injects faults into the links between data centres, for demonstrations and tests: drops,
 * duplicates, delays, reorders or throttles what a store sends. To cut a link in both directions,
 * cut it at both ends. Faults can be changed at any time. Thread-safe.
 *
 * <pre>{@code
 * LinkFaults cable = new LinkFaults(1);
 * Replication.tcp("127.0.0.1:7600").through(cable::around);
 * cable.cut(2);
 * cable.heal();
 * }</pre>
 */
public final class LinkFaults {
  /** Added to the size of each message, so that small ones are throttled too. */
  private static final long OVERHEAD_BYTES = 64;

  private final Random random;
  private final Set<Integer> cut = ConcurrentHashMap.newKeySet();
  private volatile boolean isAllCut;
  private volatile double lost;
  private volatile double repeated;
  private volatile long delayMillis;
  private volatile long spreadMillis;
  private volatile long bytesPerSecond = Long.MAX_VALUE;

  /**
   * Starts without faults.
   *
   * @param seed the seed of random faults
   */
  public LinkFaults(long seed) {
    this.random = new Random(seed);
  }

  /** Stops sending to a data centre. */
  public void cut(int dataCentre) {
    cut.add(dataCentre);
  }

  /** Stops sending to all data centres. */
  public void cutAll() {
    isAllCut = true;
  }

  /** Removes all faults. */
  public void heal() {
    isAllCut = false;
    cut.clear();
    lose(0);
    repeat(0);
    delay(Duration.ZERO, Duration.ZERO);
    throttle(Long.MAX_VALUE);
  }

  /**
   * Drops random messages.
   *
   * @param share 0 for none to 1 for all
   */
  public void lose(double share) {
    lost = checkedShare(share);
  }

  /**
   * Sends random messages twice.
   *
   * @param share 0 for none to 1 for all
   */
  public void repeat(double share) {
    repeated = checkedShare(share);
  }

  /**
   * Delays messages. With a spread above zero, messages overtake each other.
   *
   * @param min the shortest delay
   * @param spread the longest additional delay
   */
  public void delay(Duration min, Duration spread) {
    delayMillis = min.toMillis();
    spreadMillis = spread.toMillis();
  }

  /**
   * Limits the bandwidth.
   *
   * @param newBytesPerSecond the rate to all data centres together; {@link Long#MAX_VALUE} for no
   *     limit
   */
  public void throttle(long newBytesPerSecond) {
    if (newBytesPerSecond < 1) {
      throw new IllegalArgumentException(
          "the rate must be at least 1 byte per second, not " + newBytesPerSecond);
    }
    bytesPerSecond = newBytesPerSecond;
  }

  private static double checkedShare(double share) {
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException("a share must be 0 to 1, not " + share);
    }
    return share;
  }

  /** Wraps a transport with these faults. */
  public ReplicationTransport around(ReplicationTransport transport) {
    return new Faulty(transport);
  }

  private boolean isChosen(double share) {
    synchronized (random) {
      return share > 0 && random.nextDouble() < share;
    }
  }

  private long delayMillis() {
    long spread = spreadMillis;
    synchronized (random) {
      return delayMillis + (spread == 0 ? 0 : (long) (random.nextDouble() * (spread + 1)));
    }
  }

  /** A transport that applies the faults to outgoing messages. */
  private final class Faulty implements ReplicationTransport {
    private final ReplicationTransport transport;
    private final ScheduledExecutorService delayed =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              Thread thread = new Thread(work, "replication-faults");
              thread.setDaemon(true);
              return thread;
            });

    /** The time at which the throttled link is idle again, by {@link System#nanoTime}. */
    private final AtomicLong busyUntilNanos = new AtomicLong(System.nanoTime());

    Faulty(ReplicationTransport transport) {
      this.transport = transport;
    }

    @Override
    public void open(Receiver receiver) {
      transport.open(receiver);
    }

    @Override
    public void send(int dataCentre, Bytes message) {
      send(dataCentre, message, () -> transport.send(dataCentre, message));
    }

    @Override
    public void send(int dataCentre, int partition, Bytes message) {
      send(dataCentre, message, () -> transport.send(dataCentre, partition, message));
    }

    private void send(int dataCentre, Bytes message, Runnable sending) {
      if (isAllCut || cut.contains(dataCentre) || isChosen(lost)) {
        return;
      }
      int times = isChosen(repeated) ? 2 : 1;
      for (int i = 0; i < times; i++) {
        long nanos = TimeUnit.MILLISECONDS.toNanos(delayMillis()) + queueingNanos(message);
        if (nanos <= 0) {
          sending.run();
        } else {
          sendLater(sending, nanos);
        }
      }
    }

    private void sendLater(Runnable sending, long nanos) {
      try {
        schedule(sending, nanos);
      } catch (RejectedExecutionException e) {
        // The transport is closed, so the message is lost.
      }
    }

    @CanIgnoreReturnValue
    private ScheduledFuture<?> schedule(Runnable sending, long nanos) {
      return delayed.schedule(sending, nanos, TimeUnit.NANOSECONDS);
    }

    private long queueingNanos(Bytes message) {
      long rate = bytesPerSecond;
      if (rate == Long.MAX_VALUE) {
        return 0;
      }
      long sendNanos = (message.length() + OVERHEAD_BYTES) * TimeUnit.SECONDS.toNanos(1) / rate;
      long nowNanos = System.nanoTime();
      return busyUntilNanos.updateAndGet(untilNanos -> Math.max(untilNanos, nowNanos) + sendNanos)
          - nowNanos;
    }

    @Override
    public void close() {
      delayed.shutdownNow();
      transport.close();
    }
  }
}
