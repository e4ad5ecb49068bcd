package io.github.stablecut.replication;

import io.github.stablecut.crdt.Bytes;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Faults of the links between data centres, for demonstrations and tests: what a store sends is cut
 * off, lost, repeated, delayed, reordered or slowed down. To cut a cable in both directions, cut it
 * at both ends. May be changed at any time. Thread-safe.
 *
 * <pre>{@code
 * LinkFaults cable = new LinkFaults(1);
 * Replication.tcp("127.0.0.1:7600").through(cable::around);
 * cable.cut(2);
 * cable.heal();
 * }</pre>
 */
public final class LinkFaults {
  /** Each message is taken for that much larger, so that small ones are slowed down too. */
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
   * No faults.
   *
   * @param seed of what is random
   */
  public LinkFaults(long seed) {
    this.random = new Random(seed);
  }

  /** Sends nothing to a data centre any more. */
  public void cut(int dataCentre) {
    cut.add(dataCentre);
  }

  /** Sends nothing any more. */
  public void cutAll() {
    isAllCut = true;
  }

  /** Ends all faults. */
  public void heal() {
    isAllCut = false;
    cut.clear();
    lose(0);
    repeat(0);
    delay(Duration.ZERO, Duration.ZERO);
    throttle(Long.MAX_VALUE);
  }

  /**
   * Loses messages.
   *
   * @param share 0 for none to 1 for all
   */
  public void lose(double share) {
    lost = checkedShare(share);
  }

  /**
   * Sends messages twice.
   *
   * @param share 0 for none to 1 for all
   */
  public void repeat(double share) {
    repeated = checkedShare(share);
  }

  /**
   * Delays messages. If they are not all delayed equally, they overtake each other.
   *
   * @param least how much at least
   * @param spread how much more at most
   */
  public void delay(Duration least, Duration spread) {
    delayMillis = least.toMillis();
    spreadMillis = spread.toMillis();
  }

  /**
   * Slows messages down.
   *
   * @param newBytesPerSecond to all data centres together; {@link Long#MAX_VALUE} for no limit
   */
  public void throttle(long newBytesPerSecond) {
    if (newBytesPerSecond < 1) {
      throw new IllegalArgumentException("1 byte per second or more, not " + newBytesPerSecond);
    }
    bytesPerSecond = newBytesPerSecond;
  }

  private static double checkedShare(double share) {
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException("a share is 0 to 1, not " + share);
    }
    return share;
  }

  /** A transport with these faults. */
  public ReplicationTransport around(ReplicationTransport transport) {
    return new Faulty(transport);
  }

  private boolean happens(double share) {
    synchronized (random) {
      return share > 0 && random.nextDouble() < share;
    }
  }

  private long delay() {
    long spread = spreadMillis;
    synchronized (random) {
      return delayMillis + (spread == 0 ? 0 : (long) (random.nextDouble() * (spread + 1)));
    }
  }

  /** Has the faults for what is sent. */
  private final class Faulty implements ReplicationTransport {
    private final ReplicationTransport transport;
    private final ScheduledExecutorService later =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              Thread thread = new Thread(work, "replication-faults");
              thread.setDaemon(true);
              return thread;
            });

    /** When what was sent so far is through, by {@link System#nanoTime}. */
    private final AtomicLong busyUntil = new AtomicLong(System.nanoTime());

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
      if (isAllCut || cut.contains(dataCentre) || happens(lost)) {
        return;
      }
      int copies = happens(repeated) ? 2 : 1;
      for (int i = 0; i < copies; i++) {
        long nanos = TimeUnit.MILLISECONDS.toNanos(delay()) + queued(message);
        if (nanos <= 0) {
          sending.run();
        } else {
          sendLater(sending, nanos);
        }
      }
    }

    private void sendLater(Runnable sending, long nanos) {
      try {
        var unused = later.schedule(sending, nanos, TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException e) {
        // It is closed, so the message is lost.
      }
    }

    private long queued(Bytes message) {
      long rate = bytesPerSecond;
      if (rate == Long.MAX_VALUE) {
        return 0;
      }
      long takes = (message.length() + OVERHEAD_BYTES) * TimeUnit.SECONDS.toNanos(1) / rate;
      long now = System.nanoTime();
      return busyUntil.updateAndGet(until -> Math.max(until, now) + takes) - now;
    }

    @Override
    public void close() {
      later.shutdownNow();
      transport.close();
    }
  }
}
