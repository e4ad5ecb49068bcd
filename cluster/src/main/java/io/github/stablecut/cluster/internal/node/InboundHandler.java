package io.github.stablecut.cluster.internal.node;

import io.github.stablecut.cluster.internal.handoff.HandoffReceiver;
import io.github.stablecut.cluster.internal.handoff.HandoffSender;
import io.github.stablecut.cluster.internal.link.LinkHandler;
import io.github.stablecut.cluster.internal.membership.ClockDrift;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.remote.LargeMessages;
import io.github.stablecut.cluster.internal.remote.Links;
import io.github.stablecut.cluster.internal.remote.NodeFaults;
import io.github.stablecut.cluster.internal.remote.NodePartitions;
import io.github.stablecut.cluster.internal.remote.NodeReplicas;
import io.github.stablecut.cluster.internal.remote.PendingRequests;
import io.github.stablecut.cluster.internal.remote.ReplySender;
import io.github.stablecut.cluster.internal.remote.RequestEnvelope;
import io.github.stablecut.cluster.internal.remote.RequestGate;
import io.github.stablecut.cluster.internal.wire.BadMessageException;
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
 * Routes requests of other nodes to partitions, replicas and handoffs, and replies to pending
 * requests. Called on event loops: reads from memory are answered at once, work that takes long
 * runs on the node's threads. Thread-safe.
 *
 * @param partitions the partitions of this node
 * @param requests the requests of this node
 * @param handoffSender outgoing handoffs
 * @param handoffReceiver incoming handoffs
 * @param gate admits requests to partitions
 * @param large receives large messages
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
    LargeMessages large,
    Function<Request.Renew, Reply> renewal,
    IntConsumer beginning)
    implements LinkHandler {
  private static final Logger LOG = Log.of(InboundHandler.class);
  private static final LogLimit REFUSALS = new LogLimit();

  @Override
  public void onRequest(RequestEnvelope envelope, Runnable done) {
    if (envelope.epoch() != 0) {
      if (gate.answerAtOnce(envelope)) {
        done.run();
      } else {
        gate.answer(envelope, done);
      }
      return;
    }
    NodeRequests requested = new NodeRequests(envelope, done);
    try {
      answerNodeRequest(requested);
    } finally {
      requested.end();
    }
  }

  /** Passes a message to the replica's thread. */
  @Override
  public void onMessage(int partition, long sender, Bytes message) {
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
    RequestEnvelope envelope = requested.envelope;
    try {
      RequestCodec.ofNode().decode(envelope.request(), envelope.clock()).handTo(requested);
    } catch (BadMessageException e) {
      REFUSALS.ifAdmitted(more -> LOG.warn("a request was refused: {}{}", e.getMessage(), more));
    } catch (RejectedExecutionException e) {
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
    private final RequestEnvelope envelope;
    private final Runnable done;

    /** Whether a replica owns the memory and will release it. */
    private boolean isTransferred;

    NodeRequests(RequestEnvelope envelope, Runnable done) {
      this.envelope = envelope;
      this.done = done;
    }

    void end() {
      if (!isTransferred) {
        done.run();
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
                replicas.receive(envelope.partition(), request, done);
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
  public void onAnswered(long run, long oldest) {
    gate.writes().answered(run, oldest);
  }

  @Override
  public long oldestWrite() {
    return requests.oldestWrite();
  }

  @Override
  public LargeMessages large() {
    return large;
  }

  /** Replies of owners complete here if they are small, as that neither waits nor takes long. */
  @Override
  public void onReply(long number, long sender, Bytes reply, Runnable done) {
    if (!clock.admits(sender)) {
      done.run();
      requests.reject(
          number, "has answered, but its clock is wrong: " + ClockDrift.words(sender, clock));
      return;
    }
    clock.observe(sender);
    if (Links.isLarge(reply) || requests.isForNode(number)) {
      complete(() -> answer(number, sender, reply, done));
    } else {
      answer(number, sender, reply, done);
    }
  }

  private void complete(Runnable completion) {
    try {
      partitions.threads().replies().execute(completion);
    } catch (OutOfMemoryError e) {
      // No thread can be started; the requester must get the reply nevertheless.
      completion.run();
    }
  }

  private void answer(long number, long sender, Bytes reply, Runnable done) {
    try {
      answer(number, sender, reply);
    } finally {
      done.run();
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

  /** Drops an answer from a node whose clock is too far ahead: its driver retries. */
  @Override
  public void onDriverReply(long driver, long sender, Bytes answer) {
    if (!clock.admits(sender)) {
      return;
    }
    clock.observe(sender);
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
  public void onBroken(String node, boolean isBulk) {
    requests.broken(node, isBulk);
  }

  @Override
  public void onReady(String node) {
    requests.connected(node);
  }

  @Override
  public long now() {
    return clock.now();
  }
}
