package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.MissingRightsException;
import io.github.stablecut.error.ReopenException;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.error.UsageException;
import io.github.stablecut.internal.replication.GroupState;
import io.github.stablecut.internal.replication.ReplicationMessage.RightsRequest;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.thread.SupervisedThread;
import io.github.stablecut.key.BoundedCounterKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/**
 * Exchanges rights of bounded counters between data centres (Balegas et al., SRDS 2015, section
 * 4.2). A data centre that lacks rights asks those that have most. The asked one transfers as many
 * as are missing, or half of its own if that is more. Messages may be lost: the next refused
 * decrement asks again. Thread-safe.
 */
final class RightsExchange implements AutoCloseable {
  /** The maximum number of waiting requests; further ones are dropped and requested again. */
  private static final int MAX_WAITING = 1_024;

  /** The minimum interval between requests for the same counter. */
  private static final long ASK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private static final long POLL_MILLIS = 200;

  private final EmbeddedStore store;
  private final GroupState group;
  private final BiConsumer<Integer, RightsRequest> outbox;
  private final BlockingQueue<RightsRequest> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final RecentIds askedAtNanos = new RecentIds();
  private final RecentIds granted = new RecentIds();
  private final SupervisedThread thread;
  private volatile boolean closed;

  /**
   * @param outbox sends a message to a data centre
   */
  RightsExchange(
      EmbeddedStore store,
      GroupState group,
      BiConsumer<Integer, RightsRequest> outbox,
      FaultLog faults) {
    this.store = store;
    this.group = group;
    this.outbox = outbox;
    this.thread = new SupervisedThread("replication-rights", this::grantAll, faults);
  }

  void start() {
    thread.start();
  }

  /**
   * Requests from other data centres the rights that a decrement lacked.
   *
   * @param snapshot the snapshot of the decrement
   * @return the refusal; its message names the data centres that were asked, if any
   */
  MissingRightsException ask(Bytes counter, VectorClock snapshot, MissingRightsException refusal) {
    List<Integer> contacted = ask(counter, snapshot, refusal.missing(), refusal.rights());
    return contacted.isEmpty()
        ? refusal
        : new MissingRightsException(
            "%s; rights were requested from data centres %s: retry"
                .formatted(
                    refusal.getMessage(),
                    contacted.stream().map(String::valueOf).collect(Collectors.joining(", "))),
            refusal.missing(),
            refusal.rights());
  }

  private List<Integer> ask(
      Bytes counter, VectorClock snapshot, long missing, Map<Integer, Long> rights) {
    List<Integer> others = new ArrayList<>(group.known().others(group.own()));
    others.removeIf(other -> rights.getOrDefault(other, 0L) == 0);
    others.sort(Comparator.comparing((Integer other) -> rights.getOrDefault(other, 0L)).reversed());
    List<Integer> contacted = new ArrayList<>();
    long needed = missing;
    boolean isDue = markIfDue(counter);
    for (int i = 0; i < others.size() && needed > 0; i++) {
      int other = others.get(i);
      contacted.add(other);
      if (isDue) {
        outbox.accept(other, new RightsRequest(group.own(), counter, needed, snapshot));
      }
      needed -= rights.getOrDefault(other, 0L);
    }
    return contacted;
  }

  private boolean markIfDue(Bytes counter) {
    long nowNanos = System.nanoTime();
    synchronized (askedAtNanos) {
      OptionalLong last = askedAtNanos.get(group.own(), counter);
      if (last.isPresent() && nowNanos - last.getAsLong() < ASK_NANOS) {
        return false;
      }
      askedAtNanos.put(group.own(), counter, nowNanos);
      return true;
    }
  }

  /** Accepts a request of another data centre. Does not block. */
  void received(RightsRequest received) {
    waiting.offer(received); // a dropped request is repeated
  }

  private void grantAll() {
    while (!closed) {
      try {
        RightsRequest next = waiting.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
        if (next != null && !closed) {
          grant(next);
        }
      } catch (InterruptedException e) {
        // Only close ends this thread, through the flag.
      } catch (FormatException | UsageException | RetryException | ReopenException e) {
        // The counter does not exist, or the rights are requested again if they are still missing.
      }
    }
  }

  private void grant(RightsRequest received) {
    long before = granted.get(received.from(), received.counter()).orElse(0);
    if (!group.takesPart()
        || !group.known().others(group.own()).contains(received.from())
        || store.local().timeIn(received.seen()) < before) {
      // Not a member, or it had not yet seen the previous transfer.
      return;
    }
    BoundedCounterKey key = BoundedCounterKey.ofId(received.counter());
    long rights = store.read(key.rights()).getOrDefault(group.own(), 0L);
    long amount = Math.min(rights, Math.max(received.amount(), rights / 2));
    if (amount > 0) {
      long time =
          store.local().timeIn(store.update(key.transfer(amount, received.from())).vector());
      granted.put(received.from(), received.counter(), time);
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.join();
  }
}
