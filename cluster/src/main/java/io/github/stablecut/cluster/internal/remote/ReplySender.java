package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.wire.Fragment;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.ReplyCodec;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.PartitionUnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends replies to the nodes that have asked. What an object or a page of objects takes waits for
 * memory before it is encoded; who has asked is told to ask again if there is none. Thread-safe.
 */
public final class ReplySender {
  private final String address;
  private final NodeClock clock;
  private final TrafficBudget budget;
  private final OutboundFragments outbox;
  private final Duration patience;

  /** This node, which is told what others have taken. */
  private volatile Optional<NodeRef> self = Optional.empty();

  /**
   * @param address this node's
   * @param budget the memory for answers
   * @param patience so long an answer waits for memory
   */
  public ReplySender(
      String address,
      NodeClock clock,
      TrafficBudget budget,
      OutboundFragments outbox,
      Duration patience) {
    this.address = address;
    this.clock = clock;
    this.budget = budget;
    this.outbox = outbox;
    this.patience = patience;
  }

  /** From now on large answers can be sent; before, they are lost. */
  public void connect(NodeRef node) {
    self = Optional.of(node);
  }

  /** Sends a reply; waits for memory if it holds objects. */
  public void send(NodeMessage.RequestEnvelope ask, Reply reply) {
    send(ask.from(), ask.number(), reply);
  }

  /** As above, to whoever has asked a request. */
  public void send(NodeRef to, long number, Reply reply) {
    TrafficBudget.Reservation claim;
    try {
      claim = claim(reply.largeBytes());
    } catch (PartitionUnavailableException e) {
      send(to, number, new Reply.Busy(String.valueOf(e.getMessage())));
      return;
    }
    Bytes bytes;
    try {
      bytes = ReplyCodec.encode(reply);
      Fragment.checkSize(bytes);
      claim.resize(bytes.length());
    } catch (RuntimeException | Error e) {
      claim.close();
      throw e;
    }
    if (!OutboundFragments.isLarge(bytes)) {
      to.tell(
          new NodeMessage.ReplyEnvelope(
              number, clock.now(), Optional.empty(), new Fragment(0, bytes)));
    } else if (self.isPresent()) {
      NodeRef from = self.get();
      outbox.send(
          to.address().orElse(address),
          number,
          bytes,
          (part, isLast) ->
              to.tell(
                  isLast
                      ? new NodeMessage.ReplyEnvelope(number, clock.now(), Optional.of(from), part)
                      : new NodeMessage.FragmentMessage(
                          NodeMessage.FragmentMessage.ANSWER, number, from, part)),
          claim::close);
    } else {
      claim.close();
    }
  }

  private TrafficBudget.Reservation claim(long bytes) {
    CompletableFuture<TrafficBudget.Reservation> granted = budget.request(bytes);
    try {
      return granted.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      boolean unused = granted.cancel(false);
    } catch (InterruptedException e) {
      boolean unused = granted.cancel(false);
      Thread.currentThread().interrupt();
    }
    // It may have come meanwhile.
    var unused =
        granted.whenComplete(
            (claim, failure) -> {
              if (failure == null) {
                claim.close();
              }
            });
    throw budget.refusal(bytes);
  }
}
