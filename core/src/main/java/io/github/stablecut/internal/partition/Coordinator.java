package io.github.stablecut.internal.partition;

import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.TransactionTimeoutException;
import io.github.stablecut.internal.record.EndRecord;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.TransactionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * A partition's part in transactions that it decides (protocol 1.9): presumed abort with its own
 * record as commit point. What it does not know is aborted; what an earlier opening of the
 * partition began and did not decide is aborted too. Thread-safe.
 *
 * <p>Invariant: nobody is told of a commit before its record is durable, and the record stays in
 * the journal until every participant has the commit in its own.
 *
 * <p>What is kept here is guarded by the commit lock.
 */
final class Coordinator {
  /** A decision is sent again after this time, in nanoseconds. */
  private static final long RESEND_NANOS = 500_000_000;

  /** So many that have ended are remembered, for drivers that were not reached by the answer. */
  static final int MAX_ENDED = 1 << 16;

  private enum Phase {
    /** Its driver has not asked for the decision. */
    ACTIVE,
    /** Its record is on its way to the journal. */
    DECIDING,
    /** It is committed, and some participants have not said that they have it. */
    DECIDED
  }

  /** A transaction that has not ended. */
  private static final class Entry {
    private final long attempt;
    private final Optional<RequestId> request;
    private Phase phase;

    /** When an active one expires, or a decided one is sent again. */
    private long due;

    private long time;
    private long position;
    private Set<Integer> waitingFor = Set.of();
    private Message.Driver driver;

    Entry(long attempt, Optional<RequestId> request, Message.Driver driver, Phase phase, long due) {
      this.attempt = attempt;
      this.request = request;
      this.driver = driver;
      this.phase = phase;
      this.due = due;
    }
  }

  private final int number;
  private final long epoch;
  private final Sequencer sequencer;
  private final Courier courier;
  private final LongSupplier nanoTime;
  private final long timeoutNanos;
  private final int foldAfter;

  private final Map<TransactionId, Entry> entries = new HashMap<>();

  /** The active ones by their attempts. */
  private final Map<Long, TransactionId> attempts = new HashMap<>();

  /** The active ones by their sessions' requests. */
  private final Map<RequestId, TransactionId> requests = new HashMap<>();

  /** The commit times of those that all participants have, oldest first. */
  private final Map<TransactionId, Long> ended = new LinkedHashMap<>();

  /** At or below this number it is not known any more what has ended. */
  private long lastForgotten;

  private long lastSequence;

  /**
   * @param epoch above that of all earlier openings of the partition
   * @param timeoutNanos how long a driver may take
   */
  Coordinator(
      int number,
      long epoch,
      Sequencer sequencer,
      Courier courier,
      LongSupplier nanoTime,
      long timeoutNanos,
      int foldAfter) {
    this.number = number;
    this.epoch = epoch;
    this.sequencer = sequencer;
    this.courier = courier;
    this.nanoTime = nanoTime;
    this.timeoutNanos = timeoutNanos;
    this.foldAfter = foldAfter;
  }

  /** Takes over what the journal has of earlier openings. Before anything else is called. */
  void recover(Recovered recovered, long now) {
    sequencer.lock().lock();
    try {
      for (Recovered.Decision decision : recovered.decisions()) {
        if (decision.isEnded()) {
          end(decision.id(), decision.time());
        } else {
          Entry entry = new Entry(0, Optional.empty(), Message.Driver.GONE, Phase.DECIDED, now);
          entry.time = decision.time();
          entry.position = decision.position();
          entry.waitingFor = new HashSet<>(decision.participants());
          var unused = entries.put(decision.id(), entry);
        }
      }
    } finally {
      sequencer.lock().unlock();
    }
  }

  /** Lets a driver begin, or tells it that its request was executed before. */
  void open(Message.Open message, long now) {
    Optional<Message.ToDriver> answer;
    sequencer.lock().lock();
    try {
      answer = openLocked(message, now);
    } catch (StablecutException e) {
      answer = Optional.of(new Message.Refused(number, e));
    } finally {
      sequencer.lock().unlock();
    }
    answer.ifPresent(told -> courier.tell(message.driver(), told));
  }

  private Optional<Message.ToDriver> openLocked(Message.Open message, long now) {
    TransactionId known = attempts.get(message.attempt());
    if (known != null) {
      return Optional.of(new Message.Opened(known));
    }
    if (message.request().isPresent()) {
      RequestId request = message.request().get();
      Optional<Long> executed = sequencer.sessions().find(request, sequencer.times().nowMillis());
      if (executed.isPresent()) {
        // Before it is durable nothing is told; the driver asks again.
        return sequencer.times().isDurable(executed.get())
            ? Optional.of(new Message.Repeated(executed.get()))
            : Optional.empty();
      }
      TransactionId earlier = requests.get(request);
      if (earlier != null) {
        giveUp(earlier);
      }
    }
    TransactionId id = new TransactionId(number, epoch, ++lastSequence);
    Entry entry =
        new Entry(
            message.attempt(),
            message.request(),
            message.driver(),
            Phase.ACTIVE,
            now + timeoutNanos);
    var unused = entries.put(id, entry);
    var unusedToo = attempts.put(entry.attempt, id);
    entry.request.ifPresent(request -> requests.put(request, id));
    return Optional.of(new Message.Opened(id));
  }

  /** Forgets an active transaction, so that it can't be committed any more. */
  private void giveUp(TransactionId id) {
    Entry entry = entries.get(id);
    if (entry != null && entry.phase == Phase.ACTIVE) {
      var unused = entries.remove(id);
      forgetActive(entry);
    }
  }

  private void forgetActive(Entry entry) {
    var unused = attempts.remove(entry.attempt);
    entry.request.ifPresent(requests::remove);
  }

  /** Commits, if the transaction is still active and nothing on this partition speaks against. */
  void decide(Message.Decide message) {
    Optional<Message.ToDriver> answer;
    sequencer.lock().lock();
    try {
      answer = decideLocked(message);
    } catch (StablecutException e) {
      giveUp(message.part().id());
      answer = Optional.of(new Message.Refused(number, e));
    } finally {
      sequencer.lock().unlock();
    }
    answer.ifPresent(told -> courier.tell(message.driver(), told));
  }

  private Optional<Message.ToDriver> decideLocked(Message.Decide message) {
    CommitRequest part = message.part();
    TransactionId id = part.id();
    Entry entry = entries.get(id);
    if (entry == null) {
      Long time = ended.get(id);
      return Optional.of(
          time == null ? new Message.Refused(number, unknown(id)) : new Message.Decided(id, time));
    }
    entry.driver = message.driver();
    if (entry.phase == Phase.DECIDING) {
      return Optional.empty();
    }
    if (entry.phase != Phase.ACTIVE) {
      return Optional.of(new Message.Decided(id, entry.time));
    }
    sequencer.ensureMayCommit(part);
    long time = sequencer.times().tick(Math.max(part.snapshot().max(), message.prepared()));
    try {
      enter(entry, part, time);
    } catch (Throwable e) {
      sequencer.halfDone(e);
      throw e;
    }
    return Optional.empty();
  }

  private void enter(Entry entry, CommitRequest part, long time) {
    part.stamp(time, sequencer.index(), foldAfter);
    entry.request.ifPresent(request -> sequencer.sessions().put(request, time));
    forgetActive(entry);
    entry.phase = Phase.DECIDING;
    entry.time = time;
    entry.waitingFor = new HashSet<>(part.facts().participants());
    part.then(() -> decided(part.id(), entry, part.position()));
    sequencer.journal().append(part);
  }

  private StablecutException unknown(TransactionId id) {
    return id.epoch() == epoch && id.sequence() > lastForgotten
        ? new TransactionTimeoutException(
            "transaction %s was given up by its coordinator, partition %d: run it again"
                .formatted(id, number))
        : new OutcomeUnknownException(
            "partition %d, which was to decide transaction %s, does not remember it any more: read to find out whether it is committed"
                .formatted(number, id));
  }

  private void decided(TransactionId id, Entry entry, long position) {
    Message.Driver driver;
    List<Integer> participants;
    sequencer.lock().lock();
    try {
      entry.phase = Phase.DECIDED;
      entry.position = position;
      entry.due = nanoTime.getAsLong() + RESEND_NANOS;
      driver = entry.driver;
      participants = List.copyOf(entry.waitingFor);
    } finally {
      sequencer.lock().unlock();
    }
    courier.tell(driver, new Message.Decided(id, entry.time));
    for (int participant : participants) {
      courier.send(participant, new Message.Commit(id, entry.time));
    }
  }

  /** How many transactions are open that may still be committed. */
  int active() {
    sequencer.lock().lock();
    try {
      return (int) entries.values().stream().filter(entry -> entry.phase != Phase.DECIDED).count();
    } finally {
      sequencer.lock().unlock();
    }
  }

  /** Aborts a transaction whose driver gives up, unless it is decided. */
  void abandon(TransactionId id) {
    sequencer.lock().lock();
    try {
      giveUp(id);
    } finally {
      sequencer.lock().unlock();
    }
  }

  /** Tells a participant the outcome, if there is one. */
  void query(Message.Query message, long now) {
    TransactionId id = message.id();
    Optional<Message.ToPartition> answer;
    sequencer.lock().lock();
    try {
      Entry entry = entries.get(id);
      Long endedAt = ended.get(id);
      if (entry != null && entry.phase == Phase.ACTIVE && now - entry.due > 0) {
        giveUp(id);
        entry = null;
      }
      if (endedAt != null) {
        answer = Optional.of(new Message.Commit(id, endedAt));
      } else if (entry == null) {
        answer = Optional.of(new Message.Abort(id));
      } else if (entry.phase == Phase.ACTIVE || entry.phase == Phase.DECIDING) {
        answer = Optional.empty();
      } else {
        answer = Optional.of(new Message.Commit(id, entry.time));
      }
    } finally {
      sequencer.lock().unlock();
    }
    answer.ifPresent(told -> courier.send(message.partition(), told));
  }

  /** A participant's journal has the commit. */
  void acknowledge(Message.Acknowledge message) {
    sequencer.lock().lock();
    try {
      Entry entry = entries.get(message.id());
      if (entry != null
          && entry.phase == Phase.DECIDED
          && entry.waitingFor.remove(message.partition())
          && entry.waitingFor.isEmpty()) {
        var unused = entries.remove(message.id());
        end(message.id(), entry.time);
        sequencer
            .journal()
            .append(
                new ProtocolRecord(RecordKind.END, EndRecord.encode(message.id()), position -> {}));
      }
    } finally {
      sequencer.lock().unlock();
    }
  }

  private void end(TransactionId id, long time) {
    var unused = ended.put(id, time);
    if (ended.size() > MAX_ENDED) {
      Iterator<TransactionId> oldest = ended.keySet().iterator();
      TransactionId forgotten = oldest.next();
      oldest.remove();
      if (forgotten.epoch() == epoch) {
        lastForgotten = Math.max(lastForgotten, forgotten.sequence());
      }
    }
  }

  /** Sends decisions again that were not acknowledged, and forgets what is over. */
  void tick(long now) {
    List<Runnable> sends = new ArrayList<>();
    sequencer.lock().lock();
    try {
      for (TransactionId id : List.copyOf(attempts.values())) {
        Entry active = entries.get(id);
        if (active != null && now - active.due > 0) {
          giveUp(id);
        }
      }
      entries.forEach(
          (id, entry) -> {
            if (entry.phase == Phase.DECIDED && now - entry.due > 0) {
              entry.due = now + RESEND_NANOS;
              for (int participant : entry.waitingFor) {
                sends.add(() -> courier.send(participant, new Message.Commit(id, entry.time)));
              }
            }
          });
    } finally {
      sequencer.lock().unlock();
    }
    sends.forEach(Runnable::run);
  }

  /** The position of the oldest record that is still needed; the greatest number if none is. */
  long oldestNeeded() {
    sequencer.lock().lock();
    try {
      long oldest = Long.MAX_VALUE;
      for (Entry entry : entries.values()) {
        if (entry.phase == Phase.DECIDED) {
          oldest = Math.min(oldest, entry.position);
        }
      }
      return oldest;
    } finally {
      sequencer.lock().unlock();
    }
  }
}
