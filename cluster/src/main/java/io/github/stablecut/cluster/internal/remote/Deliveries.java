package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.wire.Fragment;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.partition.Message;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Large messages of distributed transactions in transit to other nodes. A prepare waits for memory,
 * and is refused if for a while none is given to anybody; a decision never waits. Drivers repeat
 * unanswered messages; a repetition is dropped while the first copy is in transit, and as long as
 * its receiver may need for what it does about it. Thread-safe.
 */
final class Deliveries {
  /** Sends a request whose memory is reserved. */
  @FunctionalInterface
  interface Sender {
    /**
     * Sends a request to the owner of a partition; it may be lost.
     *
     * @param done called once the bytes are no longer needed, with the number under which they were
     *     sent; 0 if they were not
     */
    void send(int partition, Bytes request, LongConsumer done);
  }

  /** What a receiver decodes, writes and syncs in a second, if it has much else to do. */
  private static final long BYTES_PER_SECOND = 4 << 20;

  private record Key(int partition, long driver, boolean isDecision) {}

  /** A copy that has arrived, as far as is known here; it is not repeated before a time. */
  private record Arrived(long number, long quietUntil) {}

  private record Waiting(
      Message.Prepare prepare, CompletableFuture<TrafficBudget.Reservation> granted, long since) {}

  private final TrafficBudget budget;
  private final Executor executor;
  private final Duration patience;
  private final LongSupplier nanoTime;
  private final Sender sender;

  /** The copies that have arrived a short while ago. */
  private final Map<Key, Arrived> arrived = new ConcurrentHashMap<>();

  /** When memory was given or given back last. */
  private volatile long lastProgress;

  /** The messages in transit, and those that wait for memory. */
  private final Map<Key, Optional<Waiting>> underWay = new ConcurrentHashMap<>();

  /**
   * @param executor encodes messages that have waited for memory, and tells drivers about refusals
   * @param patience how long a prepare waits for memory while none is given or given back, beyond
   *     what the messages that have it may need
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
    this.lastProgress = nanoTime.getAsLong();
  }

  /**
   * Sends a message to the owner of a partition. One with a part of a transaction is sent once it
   * has memory, unless it is in transit already.
   */
  void send(int partition, Request.Deliver deliver) {
    deliver.message().handTo(new Dispatch(partition, deliver));
  }

  /** Sends each kind of message; only those with a part of a transaction need memory. */
  private final class Dispatch implements Message.Receiver {
    private final int partition;
    private final Request.Deliver deliver;

    Dispatch(int partition, Request.Deliver deliver) {
      this.partition = partition;
      this.deliver = deliver;
    }

    @Override
    public void prepare(Message.Prepare message) {
      Key key = new Key(partition, message.driver().number(), false);
      if (isNew(key)) {
        Deliveries.this.prepare(key, deliver, message);
      }
    }

    @Override
    public void decide(Message.Decide message) {
      Key key = new Key(partition, message.driver().number(), true);
      if (isNew(key)) {
        go(key, deliver, budget.take(deliver.largeBytes()));
      }
    }

    @Override
    public void open(Message.Open message) {
      sendSmall();
    }

    @Override
    public void abandon(Message.Abandon message) {
      sendSmall();
    }

    @Override
    public void commit(Message.Commit message) {
      sendSmall();
    }

    @Override
    public void acknowledge(Message.Acknowledge message) {
      sendSmall();
    }

    @Override
    public void abort(Message.Abort message) {
      sendSmall();
    }

    @Override
    public void query(Message.Query message) {
      sendSmall();
    }

    private void sendSmall() {
      sender.send(partition, RequestCodec.encode(deliver), number -> {});
    }
  }

  /** Whether no copy is in transit, or has just arrived; if so, there is one now. */
  private boolean isNew(Key key) {
    Arrived last = arrived.get(key);
    return (last == null || nanoTime.getAsLong() - last.quietUntil >= 0)
        && underWay.putIfAbsent(key, Optional.empty()) == null;
  }

  private void prepare(Key key, Request.Deliver deliver, Message.Prepare prepare) {
    CompletableFuture<TrafficBudget.Reservation> granted = budget.request(deliver.largeBytes());
    if (granted.isDone() && !granted.isCompletedExceptionally()) {
      go(key, deliver, granted.join());
      return;
    }
    underWay.put(key, Optional.of(new Waiting(prepare, granted, nanoTime.getAsLong())));
    var unused =
        granted.whenCompleteAsync(
            (reservation, failure) -> {
              if (failure == null) {
                go(key, deliver, reservation);
              } else {
                underWay.remove(key);
                prepare
                    .driver()
                    .tell(
                        Message.Refused.of(
                            prepare, key.partition, budget.refusal(deliver.largeBytes())));
              }
            },
            executor);
  }

  private void go(Key key, Request.Deliver deliver, TrafficBudget.Reservation reservation) {
    Runnable done =
        () -> {
          reservation.close();
          lastProgress = nanoTime.getAsLong();
          underWay.remove(key);
        };
    lastProgress = nanoTime.getAsLong();
    underWay.put(key, Optional.empty());
    try {
      Bytes bytes = RequestCodec.encode(deliver);
      Fragment.checkSize(bytes);
      reservation.resize(bytes.length());
      sender.send(key.partition, bytes, number -> ended(key, number, bytes.length(), done));
    } catch (RuntimeException | Error e) {
      done.run();
      throw e;
    }
  }

  private void ended(Key key, long number, long bytes, Runnable done) {
    if (number != 0) {
      var unused = arrived.put(key, new Arrived(number, nanoTime.getAsLong() + nanosFor(bytes)));
    }
    done.run();
  }

  /** A receiver had no memory for a message, which may be repeated at once. */
  void refused(long number) {
    arrived.values().removeIf(copy -> copy.number == number);
  }

  private static long nanosFor(long bytes) {
    return TimeUnit.SECONDS.toNanos(1) * bytes / BYTES_PER_SECOND;
  }

  /** Refuses messages that have waited too long. */
  void tick() {
    long now = nanoTime.getAsLong();
    arrived.values().removeIf(copy -> now - copy.quietUntil >= 0);
    underWay.values().forEach(each -> each.filter(this::isLate).ifPresent(this::refuse));
  }

  private boolean isLate(Waiting waiting) {
    long now = nanoTime.getAsLong();
    long longest = patience.toNanos() + nanosFor(budget.taken());
    return now - waiting.since > longest && now - lastProgress > longest;
  }

  private void refuse(Waiting waiting) {
    boolean unused = waiting.granted.cancel(false);
  }
}
