package io.github.stablecut.internal.transaction;

import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.TransactionTimeoutException;
import io.github.stablecut.internal.partition.CommitRequest;
import io.github.stablecut.internal.partition.Message;
import io.github.stablecut.internal.partition.TransactionPart;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionMetadata;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The driver of a distributed commit (protocol 1.9), on the client's side. It decides nothing: if
 * it disappears, the partitions agree without it. Messages may be lost, delayed or repeated.
 * Thread-safe.
 */
final class CommitDriver implements Message.Driver, Message.AnswerReceiver {
  /** The interval at which unanswered messages are resent, in nanoseconds. */
  private static final long RESEND_NANOS = 300_000_000;

  private enum Phase {
    OPENING,
    PREPARING,
    DECIDING,
    DONE
  }

  private final Message.Transport transport;
  private final LongSupplier nanoTime;
  private final NavigableMap<Integer, CommitRequest.Part> parts;
  private final int coordinator;
  private final long attempt;
  private final Optional<RequestId> request;
  private final long deadline;
  private final CompletableFuture<Long> outcome = new CompletableFuture<>();

  private Phase phase = Phase.OPENING;
  private Optional<TransactionId> id = Optional.empty();

  /** The unanswered messages by partition. */
  private final Map<Integer, Message.ToPartition> unanswered = new HashMap<>();

  /** The prepares of certified parts, which are sent once the other parts are prepared. */
  private final Map<Integer, Message.ToPartition> certified = new TreeMap<>();

  private long greatestPrepared;
  private long lastSent;

  /**
   * What is to be sent and told once the monitor is released. A partition may hold locks while it
   * tells this an answer, so this may not wait for locks of partitions under its own.
   */
  private final Queue<Runnable> due = new ArrayDeque<>();

  /**
   * @param parts by partition; at least two, and one that writes
   * @param attempt unique among all attempts
   * @param request the session's request
   * @param nanoTime a monotonic clock, in nanoseconds
   * @param timeoutNanos the time after which the transaction is abandoned
   */
  CommitDriver(
      Message.Transport transport,
      Map<Integer, CommitRequest.Part> parts,
      long attempt,
      Optional<RequestId> request,
      LongSupplier nanoTime,
      long timeoutNanos) {
    this.nanoTime = nanoTime;
    this.transport = transport;
    this.parts = new TreeMap<>(parts);
    this.coordinator = coordinator(this.parts);
    this.attempt = attempt;
    this.request = request;
    this.deadline = nanoTime.getAsLong() + timeoutNanos;
  }

  /** The lowest partition that is written, so that a repeated request gets the same coordinator. */
  static int coordinator(NavigableMap<Integer, CommitRequest.Part> parts) {
    for (Map.Entry<Integer, CommitRequest.Part> part : parts.entrySet()) {
      if (!part.getValue().writes().isEmpty()) {
        return part.getKey();
      }
    }
    throw new IllegalArgumentException("a transaction that writes nothing needs no commit");
  }

  @Override
  public long number() {
    return attempt;
  }

  /** Starts the commit. Completes with the commit time, on the thread that learns of it. */
  CompletableFuture<Long> start() {
    open();
    doWhatIsDue();
    return outcome;
  }

  /** Nothing is opened that was given up before it could be. */
  private synchronized void open() {
    if (phase != Phase.DONE) {
      send(coordinator, new Message.Open(this, attempt, request));
    }
  }

  private synchronized void send(int partition, Message.ToPartition message) {
    var unused = unanswered.put(partition, message);
    lastSent = nanoTime.getAsLong();
    due.add(() -> transport.send(partition, message));
  }

  @Override
  public void tell(Message.ToDriver answer) {
    answer.handTo(this);
    doWhatIsDue();
  }

  /** Without the monitor. Does all, and then throws the first exception that something threw. */
  private void doWhatIsDue() {
    @Nullable Throwable failure = null;
    for (Runnable next = nextDue(); next != null; next = nextDue()) {
      try {
        next.run();
      } catch (RuntimeException | Error e) {
        failure = failure == null ? e : failure;
      }
    }
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException exception) {
      throw exception;
    }
  }

  private synchronized @Nullable Runnable nextDue() {
    return due.poll();
  }

  @Override
  public synchronized void opened(Message.Opened answer) {
    if (phase == Phase.OPENING) {
      prepare(answer.id());
    }
  }

  @Override
  public synchronized void repeated(Message.Repeated answer) {
    if (phase == Phase.OPENING) {
      succeed(answer.time());
    }
  }

  @Override
  public synchronized void prepared(Message.Prepared answer) {
    if (phase == Phase.PREPARING
        && isOurs(answer.id())
        && unanswered.remove(answer.partition()) != null) {
      greatestPrepared = Math.max(greatestPrepared, answer.time());
      if (unanswered.isEmpty()) {
        proceed();
      }
    }
  }

  @Override
  public synchronized void decided(Message.Decided answer) {
    if (isOurs(answer.id())) {
      succeed(answer.time());
    }
  }

  private boolean isOurs(TransactionId other) {
    return id.isPresent() && id.get().equals(other);
  }

  private void prepare(TransactionId opened) {
    id = Optional.of(opened);
    phase = Phase.PREPARING;
    unanswered.clear();
    Map<Integer, Message.ToPartition> uncertified = new TreeMap<>();
    parts.forEach(
        (partition, part) -> {
          if (partition != coordinator) {
            TransactionMetadata facts =
                TransactionMetadata.participant(
                    opened, List.copyOf(part.certified().objects()), part.certified().ranges());
            (part.certified().isEmpty() ? uncertified : certified)
                .put(partition, new Message.Prepare(this, TransactionPart.of(part, facts)));
          }
        });
    if (uncertified.isEmpty()) {
      proceed();
    } else {
      prepare(uncertified);
    }
  }

  /**
   * Prepares what is certified once the other parts are prepared, and has the transaction decided
   * once all are. A part that certifies nothing may have to wait for a prepared transaction that
   * has certified an object; if others waited for this transaction meanwhile, that could be a
   * deadlock.
   */
  private void proceed() {
    if (certified.isEmpty()) {
      decide();
    } else {
      Map<Integer, Message.ToPartition> messages = new TreeMap<>(certified);
      certified.clear();
      prepare(messages);
    }
  }

  private void prepare(Map<Integer, Message.ToPartition> messages) {
    messages.forEach(this::send);
  }

  private void decide() {
    phase = Phase.DECIDING;
    CommitRequest.Part part = Objects.requireNonNull(parts.get(coordinator));
    List<Integer> participants = new ArrayList<>(parts.keySet());
    participants.remove(Integer.valueOf(coordinator));
    TransactionMetadata facts =
        TransactionMetadata.decision(id.orElseThrow(), participants, request);
    TransactionPart own = TransactionPart.of(part, facts);
    send(coordinator, new Message.Decide(this, greatestPrepared, own));
  }

  private void succeed(long time) {
    phase = Phase.DONE;
    due.add(() -> outcome.complete(time));
  }

  private void fail(StablecutException reason) {
    phase = Phase.DONE;
    due.add(() -> outcome.completeExceptionally(reason));
  }

  /**
   * Aborts the transaction if this answers a message of the current phase. Repeated messages of
   * earlier phases may be refused late: an Open while its partition is out of reach, or after the
   * session has ended, a Prepare for want of memory. That says nothing about the decision.
   */
  @Override
  public synchronized void refused(Message.Refused answer) {
    boolean isFinal =
        switch (phase) {
          case OPENING, PREPARING -> true;
          case DECIDING -> answer.partition() == coordinator;
          case DONE -> false;
        };
    if (isFinal && answer.transaction().equals(id)) {
      abort(answer.reason());
    }
  }

  private void abort(StablecutException reason) {
    // Who was not asked to prepare yet need not be.
    due.clear();
    id.ifPresent(
        begun -> {
          due.add(() -> transport.send(coordinator, new Message.Abandon(begun)));
          if (!(reason instanceof OutcomeUnknownException)) {
            for (int partition : parts.keySet()) {
              if (partition != coordinator) {
                due.add(() -> transport.send(partition, new Message.Abort(begun)));
              }
            }
          }
        });
    fail(reason);
  }

  /** Resends unanswered messages, or gives up. */
  void tick(long now) {
    look(now);
    doWhatIsDue();
  }

  private synchronized void look(long now) {
    if (phase == Phase.DONE) {
      return;
    }
    if (now - deadline > 0) {
      giveUp();
    } else if (now - lastSent > RESEND_NANOS) {
      Map.copyOf(unanswered).forEach(this::send);
      // So that the coordinator does not give it up meanwhile, however long parts are in transit.
      id.ifPresent(
          begun -> due.add(() -> transport.send(coordinator, new Message.Keep(this, begun))));
    }
  }

  private void giveUp() {
    if (phase == Phase.DECIDING) {
      forget(
          "partition %d did not say in time whether transaction %s is committed: read to find out");
    } else {
      abort(
          new TransactionTimeoutException(
              "partitions %s did not answer in time, and the transaction was aborted: run it again, or raise the timeout commit"
                  .formatted(unanswered.keySet())));
    }
  }

  /** Fails the commit, as the partitions are closed. */
  void close() {
    end();
    doWhatIsDue();
  }

  private synchronized void end() {
    if (phase == Phase.DECIDING) {
      forget(
          "the store was closed before partition %d said whether transaction %s is committed: open it and read to find out");
    } else if (phase != Phase.DONE) {
      // It can no longer be decided, and undecided transactions are aborted.
      fail(EmbeddedStore.closed());
    }
  }

  /**
   * Gives up on a transaction that may be committed.
   *
   * @param message a format with the coordinator and the transaction
   */
  private void forget(String message) {
    fail(
        new OutcomeUnknownException(
            (message + ", or send the request again if it is a session's")
                .formatted(coordinator, id.orElseThrow())));
  }
}
