package io.github.stablecut.internal.transaction.routing;

import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.TransactionTimeoutException;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.TransactionPart;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.transaction.EmbeddedStore;
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
 * Drives a distributed commit on the client's side (protocol 1.9). It decides nothing: if it
 * disappears, the partitions reach the outcome without it. Messages may be lost, delayed or
 * repeated. Thread-safe.
 */
public final class CommitDriver implements Message.Driver, Message.AnswerReceiver {
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
  private final long deadlineNanos;
  private final CompletableFuture<Long> outcome = new CompletableFuture<>();

  private Phase phase = Phase.OPENING;
  private Optional<TransactionId> id = Optional.empty();

  /** The unanswered messages by partition. */
  private final Map<Integer, Message.ToPartition> unanswered = new HashMap<>();

  /** The prepare messages of certified parts, which are sent after the other parts are prepared. */
  private final Map<Integer, Message.ToPartition> certified = new TreeMap<>();

  /** Whether certified parts were prepared. */
  private boolean hasPreparedCertified;

  private long greatestPrepared;
  private long lastSentNanos;

  /**
   * Messages to send and outcomes to complete after the monitor is released. A partition may hold
   * its locks while it delivers an answer here, so this must not take partition locks under its
   * monitor.
   */
  private final Queue<Runnable> actions = new ArrayDeque<>();

  /**
   * @param parts by partition; at least two, of which at least one writes
   * @param attempt unique among all attempts
   * @param request the session's request
   * @param nanoTime a monotonic clock, in nanoseconds
   * @param timeoutNanos the time after which the driver abandons the transaction
   */
  public CommitDriver(
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
    this.deadlineNanos = nanoTime.getAsLong() + timeoutNanos;
  }

  /** Returns the lowest partition that is written: a repeated request gets the same coordinator. */
  public static int coordinator(NavigableMap<Integer, CommitRequest.Part> parts) {
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

  /**
   * Starts the commit. The future completes with the commit time, on the thread that receives it.
   */
  public CompletableFuture<Long> start() {
    open();
    runActions();
    return outcome;
  }

  /** Does nothing if the commit was given up before it was opened. */
  private synchronized void open() {
    if (phase != Phase.DONE) {
      send(coordinator, new Message.Open(this, attempt, request));
    }
  }

  private synchronized void send(int partition, Message.ToPartition message) {
    unanswered.put(partition, message);
    lastSentNanos = nanoTime.getAsLong();
    actions.add(() -> transport.send(partition, message));
  }

  @Override
  public void tell(Message.ToDriver answer) {
    answer.handTo(this);
    runActions();
  }

  /**
   * Runs all actions without the monitor, then throws the first exception that one of them threw.
   */
  private void runActions() {
    @Nullable Throwable failure = null;
    for (Runnable next = pollAction(); next != null; next = pollAction()) {
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

  private synchronized @Nullable Runnable pollAction() {
    return actions.poll();
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
   * Prepares the certified parts once the other parts are prepared, and requests the decision once
   * all are. This order avoids deadlocks: an uncertified part may have to wait for a prepared
   * transaction that has certified an object, and nothing must wait for this transaction meanwhile.
   * The coordinator's part comes last; it does not wait after certified parts, but is refused.
   */
  private void proceed() {
    if (certified.isEmpty()) {
      decide();
    } else {
      Map<Integer, Message.ToPartition> messages = new TreeMap<>(certified);
      certified.clear();
      hasPreparedCertified = true;
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
    TransactionPart own =
        TransactionPart.of(hasPreparedCertified ? part.afterCertified() : part, facts);
    send(coordinator, new Message.Decide(this, greatestPrepared, own));
  }

  private void succeed(long time) {
    phase = Phase.DONE;
    actions.add(() -> outcome.complete(time));
  }

  private void fail(StablecutException reason) {
    phase = Phase.DONE;
    actions.add(() -> outcome.completeExceptionally(reason));
  }

  /**
   * Aborts the transaction if this refuses a message of the current phase. A repeated message of an
   * earlier phase may be refused late: an Open because its partition is unreachable or its session
   * has ended, a Prepare for lack of memory. Such a refusal says nothing about the decision.
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
    // Prepares that were not sent yet are no longer needed.
    actions.clear();
    id.ifPresent(
        begun -> {
          actions.add(() -> transport.send(coordinator, new Message.Abandon(begun)));
          if (!(reason instanceof OutcomeUnknownException)) {
            for (int partition : parts.keySet()) {
              if (partition != coordinator) {
                actions.add(() -> transport.send(partition, new Message.Abort(begun)));
              }
            }
          }
        });
    fail(reason);
  }

  /** Resends unanswered messages, or gives up. */
  public void tick(long nowNanos) {
    resendOrGiveUp(nowNanos);
    runActions();
  }

  private synchronized void resendOrGiveUp(long nowNanos) {
    if (phase == Phase.DONE) {
      return;
    }
    if (nowNanos - deadlineNanos > 0) {
      giveUp();
    } else if (nowNanos - lastSentNanos > RESEND_NANOS) {
      new TreeMap<>(unanswered).forEach(this::send);
      // Keeps the coordinator from abandoning the transaction while large parts are in transit.
      id.ifPresent(
          begun ->
              actions.add(() -> transport.send(coordinator, new Message.KeepAlive(this, begun))));
    }
  }

  private void giveUp() {
    if (phase == Phase.DECIDING) {
      failWithUnknownOutcome(
          "partition %d did not report in time whether transaction %s committed: read to find out");
    } else {
      abort(
          new TransactionTimeoutException(
              "partitions %s did not answer in time, and the transaction was aborted: retry it, or raise the timeout commit"
                  .formatted(unanswered.keySet())));
    }
  }

  /** Fails the commit, as the partitions are closed. */
  public void close() {
    end();
    runActions();
  }

  private synchronized void end() {
    if (phase == Phase.DECIDING) {
      failWithUnknownOutcome(
          "the store was closed before partition %d reported whether transaction %s committed: open"
              + " it and read to find out");
    } else if (phase != Phase.DONE) {
      // The transaction can no longer be decided, and undecided transactions are aborted.
      fail(EmbeddedStore.closed());
    }
  }

  /**
   * Gives up on a transaction that may be committed.
   *
   * @param message a format string with the coordinator and the transaction as arguments
   */
  private void failWithUnknownOutcome(String message) {
    fail(
        new OutcomeUnknownException(
            (message + ", or repeat the request if it belongs to a session")
                .formatted(coordinator, id.orElseThrow())));
  }
}
