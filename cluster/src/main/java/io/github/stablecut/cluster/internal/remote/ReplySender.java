package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.ReplyCodec;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.internal.thread.FireAndForget;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends replies to requests. A reply that holds objects waits for memory before it is encoded;
 * without memory the requester gets an answer to retry, unless the request has changed something.
 * Thread-safe.
 */
public final class ReplySender {
  private static final String NOT_SENT =
      "the connection to node %s ended before a reply of %,d bytes was sent";

  private final NodeClock clock;
  private final TrafficBudget budget;
  private final Duration patience;

  /**
   * @param budget the memory for replies
   * @param patience how long a reply waits for memory
   */
  public ReplySender(NodeClock clock, TrafficBudget budget, Duration patience) {
    this.clock = clock;
    this.budget = budget;
    this.patience = patience;
  }

  /** Sends a reply; waits for memory if it holds objects. */
  public void send(RequestEnvelope request, Reply reply) {
    send(request.from(), request.number(), reply);
  }

  /** Sends a reply to a node; waits for memory if it holds objects. */
  public void send(Requester to, long number, Reply reply) {
    TrafficBudget.Reservation reservation;
    try {
      reservation =
          reply.isReplaceable() ? reserve(reply.largeBytes()) : budget.take(reply.largeBytes());
    } catch (PartitionUnavailableException e) {
      send(to, number, new Reply.Busy(String.valueOf(e.getMessage())));
      return;
    }
    try {
      send(to, number, reply, reservation);
    } catch (RuntimeException | Error e) {
      reservation.close();
      throw e;
    }
  }

  private void send(Requester to, long number, Reply reply, TrafficBudget.Reservation reservation) {
    Bytes bytes = ReplyCodec.encode(reply);
    reservation.resize(bytes.length());
    boolean isLarge = Links.isLarge(bytes);
    boolean isReplaceable = reply.isReplaceable();
    to.reply(
        number,
        clock.now(),
        bytes,
        isSent -> {
          reservation.close();
          if (!isSent && isLarge) {
            send(to, number, isReplaceable ? busy(to, bytes) : unknownOutcome(to, bytes));
          }
        });
  }

  private static Reply busy(Requester to, Bytes reply) {
    return new Reply.Busy(NOT_SENT.formatted(to.name(), reply.length()) + ": try again");
  }

  private static Reply unknownOutcome(Requester to, Bytes reply) {
    return new Reply.Failed(
        new OutcomeUnknownException(
            NOT_SENT.formatted(to.name(), reply.length())
                + ": read to find out whether the transaction is committed"));
  }

  private TrafficBudget.Reservation reserve(long bytes) {
    CompletableFuture<TrafficBudget.Reservation> granted = budget.request(bytes);
    try {
      return granted.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      granted.cancel(false);
    } catch (InterruptedException e) {
      granted.cancel(false);
      Thread.currentThread().interrupt();
    }
    // The reservation may have been granted meanwhile.
    FireAndForget.whenDone(
        granted,
        (reservation, failure) -> {
          if (failure == null) {
            reservation.close();
          }
        });
    throw budget.refusal(bytes);
  }
}
