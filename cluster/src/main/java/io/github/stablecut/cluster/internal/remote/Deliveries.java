package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.partition.commit.Message;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Large messages of distributed transactions in transit to other nodes. A prepare waits for memory
 * and is refused if none becomes free for a while; a decision never waits. Drivers repeat
 * unanswered messages. A repetition is dropped while the first transmission is in transit, and for
 * as long as its receiver may need to process it. A repetition is sent if that transmission was
 * lost, its receiver ignored it, or another node owns the partition by now. Thread-safe.
 */
final class Deliveries {
  /** Sends requests whose memory is reserved. */
  interface Sender {
    /** Returns the epoch of a partition, as far as is known here. */
    long epoch(int partition);

    /** Returns the number of the next request. */
    long nextNumber();

    /**
     * Sends a request to the owner of a partition; it may be lost.
     *
     * @param done called once the bytes are no longer needed, with whether all were sent
     */
    void send(int partition, long number, Bytes request, Consumer<Boolean> done);

    /** Drops the unsent rest of a request. */
    void forget(long number);
  }

  /** The bytes that a busy receiver decodes, writes and syncs per second. */
  private static final long BYTES_PER_SECOND = 4 << 20;

  private record Key(int partition, long driver, boolean isDecision) {}

  /** A transmission that has arrived, as far as is known here; it is not repeated before a time. */
  private record Transmission(long epoch, long number, long quietUntilNanos) {}

  private record PendingPrepare(
      Message.Prepare prepare,
      CompletableFuture<TrafficBudget.Reservation> granted,
      long sinceNanos) {}

  /** A message in transit, or one that waits for memory. */
  private static final class UnderWay {
    private final Optional<PendingPrepare> waiting;
    private final long epoch;
    private final long number;

    /** Whether the receiver has reported that it ignores the message. */
    private volatile boolean isRefused;

    private UnderWay(Optional<PendingPrepare> waiting, long epoch, long number) {
      this.waiting = waiting;
      this.epoch = epoch;
      this.number = number;
    }

    static UnderWay waiting(PendingPrepare waiting) {
      return new UnderWay(Optional.of(waiting), 0, 0);
    }

    static UnderWay to(long epoch, long number) {
      return new UnderWay(Optional.empty(), epoch, number);
    }
  }

  private final TrafficBudget budget;
  private final Executor executor;
  private final Duration patience;
  private final LongSupplier nanoTime;
  private final Sender sender;

  /** The recently arrived transmissions. */
  private final Map<Key, Transmission> arrivals = new ConcurrentHashMap<>();

  /** The time at which memory was last granted or released. */
  private volatile long lastProgressNanos;

  /** The messages in transit, and those that wait for memory. */
  private final Map<Key, UnderWay> underWay = new ConcurrentHashMap<>();

  /**
   * @param executor encodes messages that have waited for memory, and notifies drivers of refusals
   * @param patience how long a prepare waits for memory while none is granted or released, beyond
   *     the time that the messages holding memory may need
   */
  Deliveries(
      TrafficBudget budget,
      Executor executor,
      Duration patience,
      LongSupplier nanoTime,
      Sender sender) {
    this.budget = budget;
    this.executor = executor;
    this.patience = patience;
    this.nanoTime = nanoTime;
    this.sender = sender;
    this.lastProgressNanos = nanoTime.getAsLong();
  }

  /**
   * Sends a message with a part of a transaction to the owner of a partition once it has memory,
   * unless it is in transit already.
   */
  void send(int partition, Request.Deliver deliver) {
    if (deliver.message() instanceof Message.Prepare prepare) {
      Key key = new Key(partition, prepare.driver().number(), false);
      begin(key).ifPresent(copy -> orEnd(key, () -> prepare(key, copy, deliver, prepare)));
    } else if (deliver.message() instanceof Message.Decide decide) {
      Key key = new Key(partition, decide.driver().number(), true);
      begin(key)
          .ifPresent(
              copy ->
                  orEnd(
                      key, () -> go(key, copy.number, deliver, budget.take(deliver.largeBytes()))));
    } else {
      throw new IllegalArgumentException(deliver.message() + " has no part");
    }
  }

  /** Begins a transmission, unless one is in transit to the owner or has just arrived there. */
  private Optional<UnderWay> begin(Key key) {
    long epoch = sender.epoch(key.partition);
    Transmission last = arrivals.get(key);
    if (last != null && last.epoch == epoch && nanoTime.getAsLong() - last.quietUntilNanos < 0) {
      return Optional.empty();
    }
    UnderWay current = underWay.get(key);
    if (current != null && current.waiting.isEmpty() && current.epoch != epoch) {
      // The receiver no longer owns the partition.
      sender.forget(current.number);
    }
    UnderWay copy = UnderWay.to(epoch, sender.nextNumber());
    return underWay.putIfAbsent(key, copy) == null ? Optional.of(copy) : Optional.empty();
  }

  private void prepare(Key key, UnderWay copy, Request.Deliver deliver, Message.Prepare prepare) {
    CompletableFuture<TrafficBudget.Reservation> granted = budget.request(deliver.largeBytes());
    if (granted.isDone() && !granted.isCompletedExceptionally()) {
      go(key, copy.number, deliver, granted.join());
      return;
    }
    PendingPrepare waiting = new PendingPrepare(prepare, granted, nanoTime.getAsLong());
    underWay.put(key, UnderWay.waiting(waiting));
    TrafficBudget.whenGranted(
        granted,
        executor,
        (reservation, failure) -> {
          if (reservation != null) {
            go(key, copy.number, deliver, reservation);
          } else {
            underWay.remove(key);
            prepare
                .driver()
                .tell(
                    Message.Refused.of(
                        prepare, key.partition, budget.refusal(deliver.largeBytes())));
          }
        });
  }

  /** Runs a send. If it fails, for example for lack of memory, nothing is in transit. */
  private void orEnd(Key key, Runnable sends) {
    try {
      sends.run();
    } catch (RuntimeException | Error e) {
      underWay.remove(key);
      throw e;
    }
  }

  private void go(
      Key key, long number, Request.Deliver deliver, TrafficBudget.Reservation reservation) {
    lastProgressNanos = nanoTime.getAsLong();
    try {
      UnderWay copy = UnderWay.to(sender.epoch(key.partition), number);
      underWay.put(key, copy);
      Bytes bytes = RequestCodec.encode(deliver);
      reservation.resize(bytes.length());
      sender.send(
          key.partition,
          number,
          bytes,
          isSent -> {
            if (isSent) {
              arrived(key, copy, bytes.length());
            }
            end(key, reservation);
          });
    } catch (RuntimeException | Error e) {
      end(key, reservation);
      throw e;
    }
  }

  private void end(Key key, TrafficBudget.Reservation reservation) {
    reservation.close();
    lastProgressNanos = nanoTime.getAsLong();
    underWay.remove(key);
  }

  private void arrived(Key key, UnderWay copy, long bytes) {
    long quietUntilNanos = nanoTime.getAsLong() + nanosFor(bytes);
    Transmission delivered = new Transmission(copy.epoch, copy.number, quietUntilNanos);
    arrivals.put(key, delivered);
    if (copy.isRefused) {
      arrivals.remove(key, delivered);
    }
  }

  /** A receiver ignores a message, which may be repeated at once. */
  void refused(long number) {
    for (UnderWay copy : underWay.values()) {
      if (copy.number == number) {
        copy.isRefused = true;
      }
    }
    arrivals.values().removeIf(copy -> copy.number == number);
  }

  private static long nanosFor(long bytes) {
    return TimeUnit.SECONDS.toNanos(1) * bytes / BYTES_PER_SECOND;
  }

  /** Refuses messages that have waited too long. */
  void tick() {
    long nowNanos = nanoTime.getAsLong();
    arrivals.values().removeIf(copy -> nowNanos - copy.quietUntilNanos >= 0);
    underWay.values().forEach(each -> each.waiting.filter(this::isLate).ifPresent(this::refuse));
  }

  private boolean isLate(PendingPrepare waiting) {
    long nowNanos = nanoTime.getAsLong();
    long longestNanos = patience.toNanos() + nanosFor(budget.taken());
    return nowNanos - waiting.sinceNanos > longestNanos
        && nowNanos - lastProgressNanos > longestNanos;
  }

  private void refuse(PendingPrepare waiting) {
    waiting.granted.cancel(false);
  }
}
