package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.MissingRightsException;
import io.github.stablecut.error.ReopenException;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.error.UsageException;
import io.github.stablecut.internal.replication.GroupState;
import io.github.stablecut.internal.replication.ReplicationMessage.RightsWanted;
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
 * How data centres ask each other for rights of bounded counters (Balegas et al., SRDS 2015,
 * section 4.2): who lacks some asks those that have most, and who is asked transfers as many as are
 * missing, or half of its own if that is more. Messages may be lost: the next refusal asks again.
 * Thread-safe.
 */
final class RightsExchange implements AutoCloseable {
  /** What may wait to be granted; more is asked for again. */
  private static final int MAX_WAITING = 1_024;

  /** A counter that is refused again and again is asked for no more often. */
  private static final long ASK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private static final long POLL_MILLIS = 200;

  private final EmbeddedStore store;
  private final GroupState group;
  private final BiConsumer<Integer, RightsWanted> outbox;
  private final BlockingQueue<RightsWanted> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final RecentIds askedAt = new RecentIds();
  private final RecentIds granted = new RecentIds();
  private final SupervisedThread thread;
  private volatile boolean closed;

  /**
   * @param outbox sends a message to a data centre
   */
  RightsExchange(
      EmbeddedStore store,
      GroupState group,
      BiConsumer<Integer, RightsWanted> outbox,
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
   * Asks others for the rights that a decrement lacked.
   *
   * @param snapshot where it lacked them
   * @return the refusal, which says whom, if anybody was asked
   */
  MissingRightsException ask(Bytes counter, VectorClock snapshot, MissingRightsException refusal) {
    List<Integer> asked = ask(counter, snapshot, refusal.missing(), refusal.rights());
    return asked.isEmpty()
        ? refusal
        : new MissingRightsException(
            "%s; data centres that have rights were asked for some (%s): try again"
                .formatted(
                    refusal.getMessage(),
                    asked.stream().map(String::valueOf).collect(Collectors.joining(", "))),
            refusal.missing(),
            refusal.rights());
  }

  private List<Integer> ask(
      Bytes counter, VectorClock snapshot, long missing, Map<Integer, Long> rights) {
    List<Integer> others = new ArrayList<>(group.known().others(group.own()));
    others.removeIf(other -> rights.getOrDefault(other, 0L) == 0);
    others.sort(Comparator.comparing((Integer other) -> rights.getOrDefault(other, 0L)).reversed());
    List<Integer> asked = new ArrayList<>();
    long needed = missing;
    boolean isDue = isDue(counter);
    for (int i = 0; i < others.size() && needed > 0; i++) {
      int other = others.get(i);
      asked.add(other);
      if (isDue) {
        outbox.accept(other, new RightsWanted(group.own(), counter, needed, snapshot));
      }
      needed -= rights.getOrDefault(other, 0L);
    }
    return asked;
  }

  private boolean isDue(Bytes counter) {
    long now = System.nanoTime();
    synchronized (askedAt) {
      OptionalLong last = askedAt.get(group.own(), counter);
      if (last.isPresent() && now - last.getAsLong() < ASK_NANOS) {
        return false;
      }
      askedAt.put(group.own(), counter, now);
      return true;
    }
  }

  /** Takes what another data centre asks for. Returns at once. */
  void wanted(RightsWanted wanted) {
    boolean unused = waiting.offer(wanted);
  }

  private void grantAll() {
    while (!closed) {
      try {
        RightsWanted next = waiting.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
        if (next != null && !closed) {
          grant(next);
        }
      } catch (InterruptedException e) {
        // Only close ends the thread, by the flag.
      } catch (FormatException | UsageException | RetryException | ReopenException e) {
        // No such counter, or it is asked for again if it still is missing.
      }
    }
  }

  private void grant(RightsWanted wanted) {
    long before = granted.get(wanted.from(), wanted.counter()).orElse(0);
    if (!group.takesPart()
        || !group.known().others(group.own()).contains(wanted.from())
        || store.local().timeIn(wanted.seen()) < before) {
      // A stranger, or who had not seen yet what was given last.
      return;
    }
    BoundedCounterKey key = BoundedCounterKey.ofId(wanted.counter());
    long rights = store.read(key.rights()).getOrDefault(group.own(), 0L);
    long amount = Math.min(rights, Math.max(wanted.amount(), rights / 2));
    if (amount > 0) {
      long time = store.local().timeIn(store.update(key.transfer(amount, wanted.from())).vector());
      granted.put(wanted.from(), wanted.counter(), time);
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.join();
  }
}
