package io.github.stablecut.internal.transaction.routing;

import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.thread.ManagedBlocking;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Asks the coordinator of a session's request whether the request was executed. It opens a
 * transaction for the request and abandons it at once, so that an earlier undecided attempt can't
 * commit after the answer "no". Thread-safe.
 */
public final class RequestOutcomeQuery implements Message.Driver {
  /** The interval at which the question is resent, in nanoseconds. */
  private static final long RESEND_NANOS = 300_000_000;

  private final Message.Transport transport;
  private final int coordinator;
  private final long attempt;
  private final RequestId request;
  private final CompletableFuture<Message.ToDriver> answer = new CompletableFuture<>();

  /**
   * @param coordinator the partition that decides the request
   * @param attempt unique among all drivers
   */
  public RequestOutcomeQuery(
      Message.Transport transport, int coordinator, long attempt, RequestId request) {
    this.transport = transport;
    this.coordinator = coordinator;
    this.attempt = attempt;
    this.request = request;
  }

  @Override
  public long number() {
    return attempt;
  }

  @Override
  public void tell(Message.ToDriver received) {
    answer.complete(received);
  }

  /**
   * Waits for the answer.
   *
   * @return the commit time of the request, which is durable; empty if it was not executed
   * @throws io.github.stablecut.error.StablecutException if the session has expired or has executed
   *     a later request, or the partition is unreachable
   * @throws OutcomeUnknownException if there was no answer in time
   */
  public Optional<Long> ask(long timeoutNanos) {
    Message.ToDriver received = await(timeoutNanos);
    if (received instanceof Message.Refused refused) {
      throw refused.reason();
    }
    if (received instanceof Message.Opened opened) {
      transport.send(coordinator, new Message.Abandon(opened.id()));
      return Optional.empty();
    }
    return Optional.of(((Message.Repeated) received).time());
  }

  /** Sends the question, or resends it. */
  public void send() {
    transport.send(coordinator, new Message.Open(this, attempt, Optional.of(request)));
  }

  /** Whether {@link #ask} would not wait. */
  public boolean isAnswered() {
    return answer.isDone();
  }

  /** Ignores interrupts and keeps the interrupt flag. */
  private Message.ToDriver await(long timeoutNanos) {
    long deadlineNanos = System.nanoTime() + timeoutNanos;
    boolean interrupted = false;
    try {
      while (!isAnswered()) {
        if (deadlineNanos - System.nanoTime() <= 0) {
          throw new OutcomeUnknownException(
              "partition %d did not report in time whether %s was executed: repeat the request"
                  .formatted(coordinator, request));
        }
        send();
        try {
          // On a timeout, the question or its answer was lost, or the commit is not durable yet:
          // resend.
          ManagedBlocking.awaitDone(answer, RESEND_NANOS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      return answer.join();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
