package io.github.stablecut.cluster.internal.ring;

import akka.actor.Address;
import akka.actor.typed.ActorRef;
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
final class Replies {
  private final String address;
  private final NodeClock clock;
  private final TrafficBudget budget;
  private final Outbox outbox;
  private final Duration patience;

  /** The node's actor, which is told what others have taken. */
  private volatile Optional<ActorRef<RingMessage>> self = Optional.empty();

  /**
   * @param address this node's
   * @param budget the memory for answers
   * @param patience so long an answer waits for memory
   */
  Replies(String address, NodeClock clock, TrafficBudget budget, Outbox outbox, Duration patience) {
    this.address = address;
    this.clock = clock;
    this.budget = budget;
    this.outbox = outbox;
    this.patience = patience;
  }

  /** From now on large answers can be sent; before, they are lost. */
  void connect(ActorRef<RingMessage> actor) {
    self = Optional.of(actor);
  }

  /** Sends a reply; waits for memory if it holds objects. */
  void send(RingMessage.Ask ask, Reply reply) {
    send(ask.from(), ask.number(), reply);
  }

  /** As above, to whoever has asked a question. */
  void send(ActorRef<RingMessage> to, long number, Reply reply) {
    TrafficBudget.Claim claim;
    try {
      claim = claim(reply.largeBytes());
    } catch (PartitionUnavailableException e) {
      send(to, number, new Reply.Busy(String.valueOf(e.getMessage())));
      return;
    }
    Bytes bytes;
    try {
      bytes = ReplyCodec.encode(reply);
      Pieces.checkSize(bytes);
      claim.resize(bytes.length());
    } catch (RuntimeException | Error e) {
      claim.close();
      throw e;
    }
    if (!Outbox.isLarge(bytes)) {
      to.tell(
          new RingMessage.Answer(number, clock.now(), Optional.empty(), new Pieces.Part(0, bytes)));
    } else if (self.isPresent()) {
      ActorRef<RingMessage> from = self.get();
      outbox.send(
          address(to),
          number,
          bytes,
          (part, isLast) ->
              to.tell(
                  isLast
                      ? new RingMessage.Answer(number, clock.now(), Optional.of(from), part)
                      : new RingMessage.Piece(RingMessage.Piece.ANSWER, number, from, part)),
          claim::close);
    } else {
      claim.close();
    }
  }

  private TrafficBudget.Claim claim(long bytes) {
    CompletableFuture<TrafficBudget.Claim> granted = budget.request(bytes);
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

  private String address(ActorRef<RingMessage> to) {
    Address of = to.path().address();
    return of.hasLocalScope() ? address : of.hostPort().replaceFirst(".*@", "");
  }
}
