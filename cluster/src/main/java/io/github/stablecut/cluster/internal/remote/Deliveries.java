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
import java.util.function.LongSupplier;

/**
 * Large parts of transactions of several partitions on their way to other nodes. A part to be
 * prepared waits for memory, and is refused if it gets none; a decision never waits. A driver sends
 * again what was not answered: while one is on its way, the same is not sent once more.
 * Thread-safe.
 */
final class Deliveries {
  /** So long a part waits for memory. */
  static final Duration PATIENCE = Duration.ofSeconds(5);

  /** Sends what has its memory. */
  @FunctionalInterface
  interface Sender {
    /**
     * Sends a request to the owner of a partition; it may be lost.
     *
     * @param done to be called once the bytes are not needed any more
     */
    void send(int partition, Bytes request, Runnable done);
  }

  private record Key(int partition, long driver, boolean isDecision) {}

  private record Waiting(
      Message.Prepare prepare, CompletableFuture<TrafficBudget.Reservation> granted, long since) {}

  private final TrafficBudget budget;
  private final Executor executor;
  private final LongSupplier nanoTime;
  private final Sender sender;

  /** What is on its way, and what waits for memory before. */
  private final Map<Key, Optional<Waiting>> underWay = new ConcurrentHashMap<>();

  /**
   * @param executor encodes what has waited for memory, and tells drivers what was refused
   */
  Deliveries(TrafficBudget budget, Executor executor, LongSupplier nanoTime, Sender sender) {
    this.budget = budget;
    this.executor = executor;
    this.nanoTime = nanoTime;
    this.sender = sender;
  }

  /** Sends a message to the owner of a partition, now or later, unless it is on its way. */
  void send(int partition, Request.Deliver deliver) {
    if (deliver.message() instanceof Message.Prepare prepare) {
      Key key = new Key(partition, prepare.driver().number(), false);
      if (underWay.putIfAbsent(key, Optional.empty()) == null) {
        prepare(key, deliver, prepare);
      }
    } else if (deliver.message() instanceof Message.Decide decide) {
      Key key = new Key(partition, decide.driver().number(), true);
      if (underWay.putIfAbsent(key, Optional.empty()) == null) {
        go(key, deliver, budget.take(deliver.largeBytes()));
      }
    } else {
      throw new IllegalArgumentException(deliver + " has no part of a transaction");
    }
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
            (claim, failure) -> {
              if (failure == null) {
                go(key, deliver, claim);
              } else {
                underWay.remove(key);
                prepare
                    .driver()
                    .tell(new Message.Refused(key.partition, budget.refusal(deliver.largeBytes())));
              }
            },
            executor);
  }

  private void go(Key key, Request.Deliver deliver, TrafficBudget.Reservation claim) {
    Runnable done =
        () -> {
          claim.close();
          underWay.remove(key);
        };
    underWay.put(key, Optional.empty());
    try {
      Bytes bytes = RequestCodec.encode(deliver);
      Fragment.checkSize(bytes);
      claim.resize(bytes.length());
      sender.send(key.partition, bytes, done);
    } catch (RuntimeException | Error e) {
      done.run();
      throw e;
    }
  }

  /** Refuses what has waited for too long. */
  void tick() {
    underWay.values().forEach(each -> each.filter(this::isLate).ifPresent(this::refuse));
  }

  private boolean isLate(Waiting waiting) {
    return nanoTime.getAsLong() - waiting.since > PATIENCE.toNanos();
  }

  private void refuse(Waiting waiting) {
    boolean unused = waiting.granted.cancel(false);
  }
}
