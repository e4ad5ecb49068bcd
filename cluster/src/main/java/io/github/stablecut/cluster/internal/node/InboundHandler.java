package io.github.stablecut.cluster.internal.node;

import io.github.stablecut.cluster.internal.handoff.HandoffReceiver;
import io.github.stablecut.cluster.internal.handoff.HandoffSender;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.remote.Inbound;
import io.github.stablecut.cluster.internal.remote.NodeFaults;
import io.github.stablecut.cluster.internal.remote.NodePartitions;
import io.github.stablecut.cluster.internal.remote.OutboundFragments;
import io.github.stablecut.cluster.internal.remote.PendingRequests;
import io.github.stablecut.cluster.internal.remote.ReplySender;
import io.github.stablecut.cluster.internal.remote.RequestGate;
import io.github.stablecut.cluster.internal.remote.TrafficBudget;
import io.github.stablecut.cluster.internal.wire.BadMessageException;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.ReplyCodec;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.cluster.internal.wire.TransactionMessageCodec;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.partition.Message;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings requests to the node's partitions and moves, and answers to those who have asked. What
 * takes a while is done by the node's threads. Thread-safe.
 *
 * @param partitions the node's
 * @param asks who waits for answers
 * @param giving what is asked about partitions that leave the node
 * @param taking what is asked about partitions that come to it
 */
record InboundHandler(
    NodePartitions partitions,
    PendingRequests asks,
    HandoffSender giving,
    HandoffReceiver taking,
    NodeClock clock,
    ReplySender replies,
    OutboundFragments outbox)
    implements Inbound.Handler {
  private static final Logger LOG = LoggerFactory.getLogger(InboundHandler.class);

  @Override
  public void asked(NodeMessage.RequestEnvelope ask, TrafficBudget.Reservation claim) {
    if (ask.epoch() != 0) {
      new RequestGate(partitions.owner(), clock, replies).answer(ask, claim::close);
      return;
    }
    try (claim) {
      askedAboutMove(ask);
    }
  }

  private void askedAboutMove(NodeMessage.RequestEnvelope ask) {
    Request request;
    try {
      request = RequestCodec.ofNode().decode(ask.request().bytes(), ask.clock());
    } catch (BadMessageException e) {
      LOG.warn("a request was refused: {}", e.getMessage());
      return;
    }
    if (request instanceof Request.Present) {
      replies.send(ask, new Reply.At(clock.snapshot()));
    } else if (request instanceof Request.OfMove move) {
      giving.answer(ask.partition(), move, reply -> replies.send(ask, reply));
    } else if (request instanceof Request.Fetch fetch) {
      partitions
          .threads()
          .answers()
          .execute(() -> replies.send(ask, taking.fetch(ask.partition(), fetch.from())));
    }
  }

  @Override
  public PendingRequests.Awaited awaited(long number) {
    return asks.awaited(number);
  }

  @Override
  public void answered(long number, long sender, Bytes reply, TrafficBudget.Reservation claim) {
    // States take a while to be read; the actor has other things to do.
    partitions.threads().answers().execute(() -> answer(number, sender, reply, claim));
  }

  private void answer(long number, long sender, Bytes reply, TrafficBudget.Reservation claim) {
    Reply read;
    try (claim) {
      read = ReplyCodec.decode(reply, sender);
    } catch (BadMessageException | FormatException e) {
      LOG.warn("an answer was refused: {}", e.getMessage());
      read =
          new Reply.Failed(
              new StoreIoException("the owner's answer can't be read: " + e.getMessage(), e));
    } catch (RuntimeException | Error e) {
      // Whoever has asked is to hear it.
      LOG.error("an answer of {} bytes can't be read", reply.length(), e);
      read = new Reply.Failed(NodeFaults.ofNode(partitions.name(), e));
    }
    asks.answer(number, read);
  }

  @Override
  public void refused(long number, String why) {
    asks.refuse(number, why);
  }

  @Override
  public void unread(long number, String why) {
    partitions.threads().answers().execute(() -> asks.answer(number, new Reply.Busy(why)));
  }

  @Override
  public void told(long driver, long sender, Bytes answer) {
    Message.ToDriver read;
    try {
      read = TransactionMessageCodec.decode(answer, sender);
    } catch (BadMessageException e) {
      LOG.warn("an answer to a driver was refused: {}", e.getMessage());
      return;
    }
    partitions.threads().answers().execute(() -> partitions.tell(driver, read));
  }

  @Override
  public void taken(String address, long bytes) {
    outbox.acknowledged(address, bytes);
  }
}
