package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.wire.Fragment;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.ReplyCodec;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.internal.thread.FireAndForget;
import java.time.Duration;
import java.util.Optional;
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
  private final String address;
  private final NodeClock clock;
  private final TrafficBudget budget;
  private final OutboundFragments fragments;
  private final Duration patience;

  /** This node, which receives acknowledgements. */
  private volatile Optional<NodeRef> self = Optional.empty();

  /**
   * @param address this node's address
   * @param budget the memory for replies
   * @param patience how long a reply waits for memory
   */
  public ReplySender(
      String address,
      NodeClock clock,
      TrafficBudget budget,
      OutboundFragments fragments,
      Duration patience) {
    this.address = address;
    this.clock = clock;
    this.budget = budget;
    this.fragments = fragments;
    this.patience = patience;
  }

  /** Connects this node to the others; before this, large replies are lost. */
  public void connect(NodeRef node) {
    self = Optional.of(node);
  }

  /** Sends a reply; waits for memory if it holds objects. */
  public void send(NodeMessage.RequestEnvelope request, Reply reply) {
    send(request.from(), request.number(), reply);
  }

  /** Sends a reply to a node; waits for memory if it holds objects. */
  public void send(NodeRef to, long number, Reply reply) {
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

  private void send(NodeRef to, long number, Reply reply, TrafficBudget.Reservation reservation) {
    Bytes bytes = ReplyCodec.encode(reply);
    reservation.resize(bytes.length());
    if (!OutboundFragments.isLarge(bytes)) {
      to.tell(
          new NodeMessage.ReplyEnvelope(
              number, clock.now(), Optional.empty(), new Fragment(0, bytes)));
    } else if (self.isPresent()) {
      NodeRef from = self.get();
      fragments.send(
          to.address().orElse(address),
          number,
          bytes,
          (part, isLast) ->
              to.tell(
                  isLast
                      ? new NodeMessage.ReplyEnvelope(number, clock.now(), Optional.of(from), part)
                      : new NodeMessage.FragmentMessage(
                          NodeMessage.FragmentMessage.ANSWER, number, from, part)),
          isSent -> reservation.close());
    } else {
      reservation.close();
    }
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
