package io.github.stablecut.internal.partition.twophase;

import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.TransactionTimeoutException;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.DecidedTransactions;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.ProtocolRecord;
import io.github.stablecut.internal.partition.commit.Sequencer;
import io.github.stablecut.internal.record.EndRecord;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.TransactionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The coordinator of distributed transactions (protocol 1.9): presumed abort, with its own record
 * as the commit point. Unknown transactions are aborted, and so are undecided ones of an earlier
 * opening of the partition. Thread-safe.
 *
 * <p>Invariant: a commit is announced only after its record is durable, and the record stays in the
 * journal until every participant has the commit in its own journal.
 *
 * <p>The commit lock guards the state.
 */
final class Coordinator {
  /** The interval at which decisions are resent, in nanoseconds. */
  private static final long RESEND_NANOS = 500_000_000;

  /** An open transaction, whose driver has not requested the decision yet. */
  private record Active(
      Message.Driver driver, long attempt, Optional<RequestId> request, long expiresAtNanos) {
    private Active until(long laterNanos) {
      return new Active(driver, attempt, request, laterNanos);
    }

    private boolean isOver(long nowNanos) {
      return nowNanos - expiresAtNanos > 0 || driver.isLost();
    }
  }

  private final int number;
  private final long epoch;
  private final Sequencer sequencer;
  private final MessageSender courier;
  private final LongSupplier nanoTime;
  private final long timeoutNanos;
  private final DecidedTransactions decided;

  private final Map<TransactionId, Active> active = new HashMap<>();

  /** The active transactions by attempt. */
  private final Map<Long, TransactionId> attempts = new HashMap<>();

  /** The active transactions by session request. */
  private final Map<RequestId.RequestNumber, TransactionId> requests = new HashMap<>();

  private long lastSequence;

  /**
   * @param epoch above that of all earlier openings of the partition
   * @param timeoutNanos how long a driver may be silent
   */
  Coordinator(
      int number,
      long epoch,
      Sequencer sequencer,
      MessageSender courier,
      LongSupplier nanoTime,
      long timeoutNanos) {
    this.number = number;
    this.epoch = epoch;
    this.sequencer = sequencer;
    this.courier = courier;
    this.nanoTime = nanoTime;
    this.timeoutNanos = timeoutNanos;
    this.decided = sequencer.state().decided();
  }

  /** Recovers the decisions of earlier openings. Before any other call. */
  void recover(long nowNanos) {
    sequencer.run(() -> decided.forEach((id, decision) -> decision.dueNanos = nowNanos));
  }

  /** Opens a transaction for a driver, or reports that its request was executed before. */
  void open(Message.Open message, long nowNanos) {
    Optional<Message.ToDriver> answer = sequencer.call(() -> answer(message, nowNanos));
    answer.ifPresent(reply -> tell(message, reply));
  }

  /** Answers a driver. Only a confirmed leader may say that a request was not executed before. */
  private void tell(Message.Open message, Message.ToDriver reply) {
    if (message.request().isPresent() && reply instanceof Message.Opened) {
      sequencer.ifStillLeading(() -> courier.tell(message.driver(), reply));
    } else {
      courier.tell(message.driver(), reply);
    }
  }

  /** Under the commit lock. */
  private Optional<Message.ToDriver> answer(Message.Open message, long nowNanos) {
    try {
      return openInOrder(message, nowNanos);
    } catch (StablecutException e) {
      return Optional.of(Message.Refused.of(message, number, e));
    }
  }

  private Optional<Message.ToDriver> openInOrder(Message.Open message, long nowNanos) {
    TransactionId known = attempts.get(message.attempt());
    if (known != null) {
      active.computeIfPresent(known, (id, open) -> open.until(nowNanos + timeoutNanos));
      return Optional.of(new Message.Opened(known));
    }
    if (message.request().isPresent()) {
      RequestId request = message.request().get();
      Optional<Long> executed = sequencer.executed(request);
      if (executed.isPresent()) {
        // Not reported until it is durable; the driver asks again.
        return sequencer.times().isDurable(executed.get())
            ? Optional.of(new Message.Repeated(executed.get()))
            : Optional.empty();
      }
      TransactionId earlier = requests.get(request.numbered());
      if (earlier != null) {
        giveUp(earlier);
      }
    }
    TransactionId id = new TransactionId(number, epoch, ++lastSequence);
    active.put(
        id,
        new Active(
            message.driver(), message.attempt(), message.request(), nowNanos + timeoutNanos));
    attempts.put(message.attempt(), id);
    message.request().ifPresent(request -> requests.put(request.numbered(), id));
    return Optional.of(new Message.Opened(id));
  }

  /** Forgets an active transaction, so that it can no longer commit. */
  private void giveUp(TransactionId id) {
    Active forgotten = active.remove(id);
    if (forgotten != null) {
      attempts.remove(forgotten.attempt);
      forgotten.request.ifPresent(request -> requests.remove(request.numbered()));
    }
  }

  /**
   * Commits if the transaction is still active and the local checks pass. A repeated message gets
   * the answer of the first, whatever the checks say by now.
   *
   * @param refusal why the checks before the commit lock have failed; empty if they have not
   */
  void decide(
      Message.Decide message, CommitRequest part, Optional<? extends Message.ToDriver> refusal) {
    Optional<? extends Message.ToDriver> refused =
        refusal.isPresent()
            ? refusal
            : sequencer
                .certifier()
                .conflictInRanges(part)
                .map(conflict -> Message.Refused.of(message, number, conflict));
    Optional<? extends Message.ToDriver> answer =
        sequencer.call(() -> answer(message, part, refused));
    answer.ifPresent(reply -> courier.tell(message.driver(), reply));
  }

  /** Under the commit lock. */
  private Optional<? extends Message.ToDriver> answer(
      Message.Decide message, CommitRequest part, Optional<? extends Message.ToDriver> refusal) {
    try {
      return decideInOrder(message, part, refusal);
    } catch (StablecutException e) {
      giveUp(part.id());
      return Optional.of(Message.Refused.of(message, number, e));
    }
  }

  private Optional<? extends Message.ToDriver> decideInOrder(
      Message.Decide message, CommitRequest part, Optional<? extends Message.ToDriver> refusal) {
    TransactionId id = part.id();
    DecidedTransactions.Decision decision = decided.get(id);
    if (decision != null) {
      decision.driver = message.driver();
      return decision.isDurable()
          ? Optional.of(new Message.Decided(id, decision.time))
          : Optional.empty();
    }
    if (!active.containsKey(id)) {
      Long time = decided.endedAt(id);
      return Optional.of(
          time == null
              ? Message.Refused.of(message, number, unknown(id))
              : new Message.Decided(id, time));
    }
    if (refusal.isPresent()) {
      giveUp(id);
      return refusal;
    }
    sequencer.ensureMayCommit(part);
    long time = sequencer.times().tick(part.snapshot(), message.prepared());
    part.then(() -> decided(id, part.position()));
    sequencer.append(
        part,
        () -> {
          sequencer.state().commit(part, time);
          giveUp(id);
          decision(id).driver = message.driver();
        });
    return Optional.empty();
  }

  private DecidedTransactions.Decision decision(TransactionId id) {
    return Objects.requireNonNull(decided.get(id), "a decision that was not acknowledged");
  }

  private StablecutException unknown(TransactionId id) {
    return id.epoch() == epoch && !decided.mayBeForgotten(id)
        ? new TransactionTimeoutException(
            "transaction %s was given up by its coordinator, partition %d: run it again"
                .formatted(id, number))
        : new OutcomeUnknownException(
            "partition %d, which coordinates transaction %s, has no record of it any longer: read to find out whether it is committed"
                .formatted(number, id));
  }

  /** The recipients of a durable decision. */
  private record DecisionNotice(Message.Driver driver, long time, List<Integer> participants) {}

  private void decided(TransactionId id, long position) {
    DecisionNotice notice =
        sequencer.call(
            () -> {
              sequencer.state().decisionDurable(id, position);
              DecidedTransactions.Decision decision = decision(id);
              decision.dueNanos = nanoTime.getAsLong() + RESEND_NANOS;
              return new DecisionNotice(
                  decision.driver, decision.time, List.copyOf(decision.waitingFor));
            });
    courier.tell(notice.driver, new Message.Decided(id, notice.time));
    for (int participant : notice.participants) {
      courier.send(participant, new Message.Commit(id, notice.time));
    }
  }

  /** Gives an open transaction more time, and tells its driver if it is durably committed. */
  void keep(Message.KeepAlive message, long nowNanos) {
    TransactionId id = message.id();
    Optional<Long> time =
        sequencer.call(
            () -> {
              active.computeIfPresent(id, (same, open) -> open.until(nowNanos + timeoutNanos));
              DecidedTransactions.Decision decision = decided.get(id);
              if (decision == null) {
                return Optional.ofNullable(decided.endedAt(id));
              }
              return decision.isDurable() ? Optional.of(decision.time) : Optional.empty();
            });
    time.ifPresent(known -> courier.tell(message.driver(), new Message.Decided(id, known)));
  }

  /** The number of open transactions that may still commit. */
  int active() {
    return sequencer.call(() -> active.size() + decided.countNotDurable());
  }

  /** Aborts a transaction that its driver abandons, unless it is decided. */
  void abandon(TransactionId id) {
    sequencer.run(() -> giveUp(id));
  }

  /**
   * Answers a participant's query for the outcome, if it is known. This partition does not answer
   * for a later epoch than its own: it has lost the leadership, and a later leader has decided.
   */
  void query(Message.Query message, long nowNanos) {
    if (message.id().epoch() > epoch) {
      return;
    }
    Optional<Message.ToPartition> answer = sequencer.call(() -> outcome(message.id(), nowNanos));
    answer.ifPresent(
        reply -> {
          if (reply instanceof Message.Abort) {
            sequencer.ifStillLeading(() -> courier.send(message.partition(), reply));
          } else {
            courier.send(message.partition(), reply);
          }
        });
  }

  /** Under the commit lock. */
  private Optional<Message.ToPartition> outcome(TransactionId id, long nowNanos) {
    DecidedTransactions.Decision decision = decided.get(id);
    if (decision != null) {
      return decision.isDurable()
          ? Optional.of(new Message.Commit(id, decision.time))
          : Optional.empty();
    }
    Long endedAt = decided.endedAt(id);
    if (endedAt != null) {
      return Optional.of(new Message.Commit(id, endedAt));
    }
    Active open = active.get(id);
    if (open != null && !open.isOver(nowNanos)) {
      return Optional.empty();
    }
    giveUp(id);
    return Optional.of(new Message.Abort(id));
  }

  /** A participant's journal has the commit. */
  void acknowledge(Message.Acknowledge message) {
    sequencer.run(
        () -> {
          DecidedTransactions.Decision decision = decided.get(message.id());
          if (decision != null
              && decision.isDurable()
              && decision.waitingFor.remove(message.partition())
              && decision.waitingFor.isEmpty()) {
            sequencer.append(
                new ProtocolRecord(RecordKind.END, EndRecord.encode(message.id()), position -> {}),
                () -> sequencer.state().end(message.id()));
          }
        });
  }

  /** Resends unacknowledged decisions, and drops expired transactions. */
  void tick(long nowNanos) {
    List<Runnable> sends = new ArrayList<>();
    sequencer.run(
        () -> {
          for (TransactionId id : List.copyOf(active.keySet())) {
            Active open = active.get(id);
            if (open != null && open.isOver(nowNanos)) {
              giveUp(id);
            }
          }
          decided.forEach(
              (id, decision) -> {
                if (decision.isDurable() && nowNanos - decision.dueNanos > 0) {
                  decision.dueNanos = nowNanos + RESEND_NANOS;
                  for (int participant : decision.waitingFor) {
                    sends.add(
                        () -> courier.send(participant, new Message.Commit(id, decision.time)));
                  }
                }
              });
        });
    sends.forEach(Runnable::run);
  }

  /** The position of the oldest record that is still needed; {@link Long#MAX_VALUE} if none is. */
  long oldestNeeded() {
    return sequencer.call(decided::oldestNeeded);
  }
}
