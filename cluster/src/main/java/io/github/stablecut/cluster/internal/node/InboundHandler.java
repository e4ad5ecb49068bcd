package io.github.stablecut.cluster.internal.node;

import io.github.stablecut.cluster.internal.handoff.HandoffReceiver;
import io.github.stablecut.cluster.internal.handoff.HandoffSender;
import io.github.stablecut.cluster.internal.membership.ClockDrift;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.remote.Inbound;
import io.github.stablecut.cluster.internal.remote.NodeFaults;
import io.github.stablecut.cluster.internal.remote.NodePartitions;
import io.github.stablecut.cluster.internal.remote.NodeReplicas;
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
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.thread.FireAndForget;
import io.github.stablecut.log.Log;
import io.github.stablecut.log.LogLimit;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;

/**
 * Routes inbound requests to partitions and handoffs, and replies to pending requests. Work that
 * takes long runs on the node's threads. Thread-safe.
 *
 * @param partitions the partitions of this node
 * @param requests the requests of this node
 * @param handoffSender outgoing handoffs
 * @param handoffReceiver incoming handoffs
 * @param gate admits requests to partitions
 * @param renewal makes the node leave, and return as a new node
 * @param beginning starts replication with a number of replicas
 */
record InboundHandler(
    NodePartitions partitions,
    PendingRequests requests,
    HandoffSender handoffSender,
    HandoffReceiver handoffReceiver,
    NodeClock clock,
    ReplySender replies,
    RequestGate gate,
    OutboundFragments outboundFragments,
    Function<Request.Renew, Reply> renewal,
    IntConsumer beginning)
    implements Inbound.Handler {
  private static final Logger LOG = Log.of(InboundHandler.class);
  private static final LogLimit REFUSALS = new LogLimit();

  @Override
  public void onRequest(
      NodeMessage.RequestEnvelope envelope, TrafficBudget.Reservation reservation) {
    if (envelope.epoch() != 0) {
      gate.answer(envelope, reservation::close);
      return;
    }
    NodeRequests requested = new NodeRequests(envelope, reservation);
    try {
      answerNodeRequest(requested);
    } finally {
      requested.end();
    }
  }

  /** Passes a message that arrived on a link to the replica's thread. Does not block. */
  void onLinkMessage(int partition, long sender, Bytes message) {
    try {
      if (RequestCodec.ofNode().decode(message, sender) instanceof Request.ToReplica toReplica) {
        partitions
            .replicas()
            .ifPresent(replicas -> replicas.receive(partition, toReplica, () -> {}));
      }
    } catch (BadMessageException e) {
      REFUSALS.ifAdmitted(
          more -> LOG.warn("a message to a replica was refused: {}{}", e.getMessage(), more));
    }
  }

  private void answerNodeRequest(NodeRequests requested) {
    NodeMessage.RequestEnvelope envelope = requested.envelope;
    try {
      RequestCodec.ofNode().decode(envelope.request().bytes(), envelope.clock()).handTo(requested);
    } catch (BadMessageException e) {
      REFUSALS.ifAdmitted(more -> LOG.warn("a request was refused: {}{}", e.getMessage(), more));
    } catch (RejectedExecutionException e) {
      // Answered on the caller's thread, the node's actor.
      replies.send(
          envelope,
          new Reply.Failed(
              new PartitionUnavailableException(
                  "node %s is overloaded, or is being closed: try again"
                      .formatted(partitions.name()))));
    }
  }

  /** Handles a request to this node, whether or not it owns the partition. */
  private final class NodeRequests implements Request.Receiver, Request.NodeReceiver {
    private final NodeMessage.RequestEnvelope envelope;
    private final TrafficBudget.Reservation reservation;

    /** Whether a replica owns the memory and will release it. */
    private boolean isTransferred;

    NodeRequests(NodeMessage.RequestEnvelope envelope, TrafficBudget.Reservation reservation) {
      this.envelope = envelope;
      this.reservation = reservation;
    }

    void end() {
      if (!isTransferred) {
        reservation.close();
      }
    }

    @Override
    public void present(Request.Present request) {
      replies.send(envelope, new Reply.Done());
    }

    @Override
    public void toPartition(Request.ToPartition request) {
      REFUSALS.ifAdmitted(
          more ->
              LOG.warn(
                  "a request was refused: it names no epoch of partition {}{}",
                  envelope.partition(),
                  more));
    }

    @Override
    public void toNode(Request.ToNode request) {
      request.handTo((Request.NodeReceiver) this);
    }

    @Override
    public void fetch(Request.Fetch request) {
      partitions
          .threads()
          .replies()
          .execute(
              () ->
                  replies.send(
                      envelope, handoffReceiver.fetch(envelope.partition(), request.from())));
    }

    @Override
    public void toReplica(Request.ToReplica request) {
      partitions
          .replicas()
          .ifPresent(
              replicas -> {
                replicas.receive(envelope.partition(), request, reservation::close);
                isTransferred = true;
              });
    }

    @Override
    public void toRegister(Request.ToRegister request) {
      partitions
          .replicas()
          .ifPresent(
              replicas -> partitions.threads().register().execute(() -> answer(replicas, request)));
    }

    private void answer(NodeReplicas replicas, Request.ToRegister request) {
      FireAndForget.logFailure(
          replicas.answer(request).thenAccept(reply -> replies.send(envelope, reply)),
          "a reply of the configuration register could not be sent");
    }

    @Override
    public void renew(Request.Renew request) {
      executeLong(() -> renewal.apply(request));
    }

    @Override
    public void beginReplicas(Request.BeginReplicas request) {
      executeLong(() -> startReplication(request.replicas()));
    }

    /** Answers on a thread that may wait for other nodes, not on one that completes requests. */
    private void executeLong(Supplier<Reply> reply) {
      partitions.threads().handoffSend().execute(() -> replies.send(envelope, reply.get()));
    }

    @Override
    public void evenOut(Request.BalanceLeaders request) {
      partitions.evenOut();
      partitions.threads().replies().execute(() -> replies.send(envelope, new Reply.Done()));
    }

    private Reply startReplication(int replicas) {
      try {
        beginning.accept(replicas);
        return new Reply.Done();
      } catch (StablecutException e) {
        return new Reply.Failed(e);
      }
    }

    @Override
    public void closeOwn(Request.CloseOwn request) {
      partitions
          .threads()
          .replies()
          .execute(() -> replies.send(envelope, partitions.leaving().close(envelope.partition())));
    }

    @Override
    public void ofMove(Request.OfMove request) {
      handoffSender.answer(envelope.partition(), request, reply -> replies.send(envelope, reply));
    }
  }

  @Override
  public PendingRequests.ReplyState awaited(long number) {
    return requests.awaited(number);
  }

  @Override
  public void onReply(
      long number, long sender, Bytes reply, TrafficBudget.Reservation reservation) {
    // Decoding states takes long; the actor must not block.
    complete(() -> answer(number, sender, reply, reservation));
  }

  private void complete(Runnable completion) {
    try {
      partitions.threads().replies().execute(completion);
    } catch (OutOfMemoryError e) {
      // No thread can be started; the requester must get the reply nevertheless.
      completion.run();
    }
  }

  private void answer(
      long number, long sender, Bytes reply, TrafficBudget.Reservation reservation) {
    try (reservation) {
      answer(number, sender, reply);
    }
  }

  private void answer(long number, long sender, Bytes reply) {
    Reply read;
    try {
      read = ReplyCodec.decode(reply, sender);
    } catch (BadMessageException | FormatException e) {
      REFUSALS.ifAdmitted(more -> LOG.warn("a reply was refused: {}{}", e.getMessage(), more));
      requests.unread(
          number, new StoreIoException("the owner's reply can't be decoded: " + e.getMessage(), e));
      return;
    } catch (RuntimeException | Error e) {
      // The requester must learn of the failure.
      REFUSALS.ifAdmitted(
          more -> LOG.error("a reply of {} bytes can't be decoded{}", reply.length(), more, e));
      requests.unread(number, NodeFaults.ofNode(partitions.name(), e));
      return;
    }
    requests.complete(number, read);
  }

  /** Handles a small reply that arrived on a link. Neither waits nor takes long. */
  void onLinkReply(long number, long sender, Bytes reply) {
    if (clock.admits(sender)) {
      clock.observe(sender);
      answer(number, sender, reply);
    } else {
      requests.reject(
          number, "has answered, but its clock is wrong: " + ClockDrift.words(sender, clock));
    }
  }

  @Override
  public void onRejectedReply(long number, String why) {
    requests.reject(number, why);
  }

  @Override
  public void onUnreadReply(long number, String why) {
    partitions.threads().replies().execute(() -> requests.complete(number, new Reply.Busy(why)));
  }

  @Override
  public void onDriverReply(long driver, long sender, Bytes answer) {
    Message.ToDriver read;
    try {
      read = TransactionMessageCodec.decode(answer, sender);
    } catch (BadMessageException e) {
      REFUSALS.ifAdmitted(
          more -> LOG.warn("an answer to a driver was refused: {}{}", e.getMessage(), more));
      return;
    }
    complete(() -> partitions.tell(driver, read));
  }

  @Override
  public void onAck(String address, long bytes) {
    outboundFragments.acknowledged(address, bytes);
  }
}
