package io.github.stablecut.internal.partition.twophase;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.UnexpectedFailureException;
import io.github.stablecut.internal.partition.commit.CommitBlockedException;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.CommitWaiters;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.partition.commit.PartitionOptions;
import io.github.stablecut.internal.partition.commit.Sequencer;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.thread.FireAndForget;
import io.github.stablecut.journal.JournalClosedException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A partition's two roles in distributed transactions (protocol 1.9): {@link Participant} in those
 * that other partitions decide, {@link Coordinator} in those that it decides. Thread-safe.
 */
public final class TwoPhaseCommit {
  private final int number;
  private final Participant participant;
  private final Coordinator coordinator;
  private final CommitWaiters heldBack;

  /** The transactions with a part that is held back and will be prepared. */
  private final Set<TransactionId> waiting = ConcurrentHashMap.newKeySet();

  private final MessageSender courier;
  private final Consumer<CommitRequest> checkTypes;
  private final LongSupplier nanoTime;

  /**
   * @param checkTypes throws {@link io.github.stablecut.error.TypeMismatchException} if an object
   *     that a part writes has another type
   * @param faults records errors that lose messages
   */
  public TwoPhaseCommit(
      PartitionOptions options,
      PartitionContext context,
      Sequencer sequencer,
      Consumer<CommitRequest> checkTypes,
      FaultLog faults) {
    this.number = options.number();
    this.courier = new MessageSender(number, context.transport(), faults);
    this.participant = new Participant(number, sequencer, courier);
    this.coordinator =
        new Coordinator(
            number,
            context.epoch(),
            sequencer,
            courier,
            context.nanoTime(),
            options.waits().commit().toNanos());
    this.heldBack = new CommitWaiters(sequencer, context.nanoTime(), options.waits().commit());
    this.checkTypes = checkTypes;
    this.nanoTime = context.nanoTime();
  }

  /**
   * Recovers the prepared and decided transactions of earlier openings. Before any other call.
   *
   * @param low the low watermark
   */
  public void recover(VectorClock low) {
    long nowNanos = nanoTime.getAsLong();
    participant.recover(low, nowNanos);
    coordinator.recover(nowNanos);
  }

  /**
   * Receives a message of a driver or another partition. Does not wait for the journal, and throws
   * nothing: the sender, which may be a thread that flushes another journal, must not suffer from
   * errors here.
   */
  public void receive(Message.ToPartition message) {
    try {
      message.handTo(new Taker(nanoTime.getAsLong()));
    } catch (JournalClosedException e) {
      // The message is lost; its sender must not suffer.
    } catch (Throwable e) {
      courier.lost(e);
      refuse(message, e);
    }
  }

  /** Refuses a message to its driver, if one waits for the answer. */
  private void refuse(Message.ToPartition message, Throwable failure) {
    StablecutException reason =
        message instanceof Message.Decide decide ? unknown(decide, failure) : unexpected(failure);
    message
        .asker()
        .ifPresent(driver -> courier.tell(driver, Message.Refused.of(message, number, reason)));
  }

  private StablecutException unknown(Message.Decide decide, Throwable failure) {
    return new OutcomeUnknownException(
        "partition %d, which decides transaction %s, failed: %s; read to find out whether it is committed"
            .formatted(number, decide.part().id(), failure));
  }

  private StablecutException unexpected(Throwable failure) {
    return failure instanceof StablecutException known
        ? known
        : UnexpectedFailureException.of(
            "partition %d could not take part in a transaction".formatted(number), failure);
  }

  /** Handles a message at a point in time. */
  private final class Taker implements Message.Receiver {
    private final long nowNanos;

    Taker(long nowNanos) {
      this.nowNanos = nowNanos;
    }

    @Override
    public void open(Message.Open message) {
      coordinator.open(message, nowNanos);
    }

    @Override
    public void prepare(Message.Prepare message) {
      CommitRequest part = message.part().toRequest();
      refusal(message, part)
          .ifPresentOrElse(
              refused -> courier.tell(message.driver(), refused),
              () ->
                  orWhenReleased(
                      message, part, () -> participant.prepare(part, message.driver(), nowNanos)));
    }

    @Override
    public void decide(Message.Decide message) {
      CommitRequest part = message.part().toRequest();
      Optional<Message.Refused> refusal = refusal(message, part);
      orWhenReleased(message, part, () -> coordinator.decide(message, part, refusal));
    }

    @Override
    public void keepAlive(Message.KeepAlive message) {
      coordinator.keep(message, nowNanos);
    }

    @Override
    public void abandon(Message.Abandon message) {
      coordinator.abandon(message.id());
    }

    @Override
    public void commit(Message.Commit message) {
      participant.commit(message.id(), message.time());
      heldBack.changed();
    }

    @Override
    public void acknowledge(Message.Acknowledge message) {
      coordinator.acknowledge(message);
    }

    @Override
    public void abort(Message.Abort message) {
      // A part that is held back would be prepared after all.
      waiting.remove(message.id());
      participant.abort(message.id());
      heldBack.changed();
    }

    @Override
    public void query(Message.Query message) {
      coordinator.query(message, nowNanos);
    }
  }

  /** Handles a message, and retries it when its part is no longer held back. */
  private void orWhenReleased(Message.ToPartition message, CommitRequest part, Runnable take) {
    try {
      take.run();
    } catch (CommitBlockedException e) {
      // Its driver resends the message; only one of them waits.
      TransactionId id = part.id();
      if (waiting.add(id)) {
        FireAndForget.whenDone(
            heldBack.release(part),
            (free, failure) -> {
              if (waiting.remove(id) && failure == null) {
                receive(message);
              }
            });
      }
    }
  }

  /** Uncertified writers that wait for certified transactions. */
  public CommitWaiters heldBack() {
    return heldBack;
  }

  /**
   * Returns the refusal of a part that can't be executed here: a type mismatch, or an object whose
   * type can't be read.
   */
  private Optional<Message.Refused> refusal(Message.ToPartition message, CommitRequest part) {
    try {
      checkTypes.accept(part);
      return Optional.empty();
    } catch (Throwable e) {
      return Optional.of(Message.Refused.of(message, number, unexpected(e)));
    }
  }

  /** The number of open transactions that this partition coordinates. */
  public int openTransactions() {
    return coordinator.active();
  }

  /** Resends unanswered messages. */
  public void tick() {
    long nowNanos = nanoTime.getAsLong();
    participant.tick(nowNanos);
    coordinator.tick(nowNanos);
    heldBack.tick(nowNanos);
  }

  /** The position of the oldest decision that may still be queried. */
  public long oldestNeeded() {
    return coordinator.oldestNeeded();
  }

  /** Forgets the outcomes at or below the low watermark. */
  public void forgetThrough(VectorClock low) {
    participant.forgetThrough(low);
  }
}
