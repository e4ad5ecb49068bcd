package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.membership.ClockDrift;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.wire.Fragment;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.crdt.Bytes;
import java.util.Optional;

/**
 * Receives the messages of other nodes about partitions: reassembles fragments, checks the senders'
 * clocks, and rejects messages for which there is no memory, so that their senders retry. Confined
 * to the node's actor.
 */
public final class Inbound {
  /** Handles complete messages. No method blocks. */
  public interface Handler {
    /**
     * A request about a partition of this node, or to the node itself, has arrived.
     *
     * @param reservation the memory of the request, from {@link TrafficBudgets#replicaMessagesIn}
     *     if it is a message to a replica; the handler closes it
     */
    void onRequest(NodeMessage.RequestEnvelope envelope, TrafficBudget.Reservation reservation);

    /** Returns whether a reply is awaited. */
    PendingRequests.ReplyState awaited(long number);

    /**
     * A reply has arrived.
     *
     * @param sender the sender's clock
     * @param reservation the memory of the reply; the handler closes it
     */
    void onReply(long number, long sender, Bytes reply, TrafficBudget.Reservation reservation);

    /** A reply has arrived from a node whose clock is wrong. */
    void onRejectedReply(long number, String why);

    /** A reply has arrived for which there is no memory. */
    void onUnreadReply(long number, String why);

    /**
     * A partition has answered the driver of a transaction.
     *
     * @param sender the sender's clock
     */
    public void onDriverReply(long driver, long sender, Bytes answer);

    /** A node has acknowledged bytes. */
    public void onAck(String address, long bytes);
  }

  private final String address;
  private final Handler handler;
  private final NodeClock clock;
  private final ReplySender replies;
  private final TrafficBudgets traffic;
  private final InboundFragments requestFragments;
  private final ReplicaFragments replicaFragments;
  private final InboundFragments replyFragments;

  /**
   * @param address this node's address
   * @param replies sends the replies that this class creates itself
   */
  public Inbound(
      String address,
      Handler handler,
      NodeClock clock,
      ReplySender replies,
      TrafficBudgets traffic) {
    this.address = address;
    this.handler = handler;
    this.clock = clock;
    this.replies = replies;
    this.traffic = traffic;
    this.requestFragments = new InboundFragments(System::nanoTime, traffic.requestsIn());
    this.replicaFragments = new ReplicaFragments(System::nanoTime, traffic.replicaMessagesIn());
    this.replyFragments = new InboundFragments(System::nanoTime, traffic.answersIn());
  }

  public void fragment(NodeMessage.FragmentMessage message) {
    acknowledge(message.from(), message.part());
    int length = message.part().bytes().length();
    InboundFragments.Id id = new InboundFragments.Id(message.from(), message.number());
    if (message.partition() != NodeMessage.FragmentMessage.ANSWER) {
      requestFragment(id, message);
      return;
    }
    PendingRequests.ReplyState awaited = handler.awaited(message.number());
    if (awaited != PendingRequests.ReplyState.NO
        && !replyFragments.keep(
            id, message.part(), awaited == PendingRequests.ReplyState.RETRYABLE)) {
      unread(message.number(), length);
    }
  }

  private void requestFragment(InboundFragments.Id id, NodeMessage.FragmentMessage message) {
    Fragment part = message.part();
    ReplicaFragments.Source source =
        new ReplicaFragments.Source(message.from(), message.partition());
    boolean isForReplica =
        part.offset() == 0 ? RequestCodec.isForReplica(part.bytes()) : replicaFragments.has(id);
    boolean isKept =
        isForReplica
            ? replicaFragments.keep(id, source, part)
            : requestFragments.keep(id, part, true);
    if (!isKept) {
      busy(message.from(), message.number(), isForReplica, part);
    }
  }

  private void acknowledge(NodeRef from, Fragment part) {
    from.tell(new NodeMessage.FragmentAck(address, part.bytes().length()));
  }

  /**
   * Notifies a sender that there is no memory for its message: the sender does not send the rest.
   */
  private void busy(NodeRef from, long number, boolean isForReplica, Fragment part) {
    TrafficBudget full = isForReplica ? traffic.replicaMessagesIn() : traffic.requestsIn();
    String why = String.valueOf(full.refusal(part.bytes().length()).getMessage());
    replies.send(from, number, new Reply.Busy(why));
  }

  private void unread(long number, int bytes) {
    handler.onUnreadReply(number, String.valueOf(traffic.answersIn().refusal(bytes).getMessage()));
  }

  public void request(NodeMessage.RequestEnvelope envelope) {
    Fragment last = envelope.request();
    if (OutboundFragments.isOfLarge(last)) {
      acknowledge(envelope.from(), last);
    }
    ReplicaFragments.Source source =
        new ReplicaFragments.Source(envelope.from(), envelope.partition());
    if (last.offset() == 0) {
      boolean isForReplica = RequestCodec.isForReplica(last.bytes());
      Optional<InboundFragments.CompleteMessage> only =
          isForReplica
              ? replicaFragments.single(source, last)
              : requestFragments.single(last, true);
      only.ifPresentOrElse(
          whole -> handler.onRequest(envelope, whole.reservation()),
          () -> busy(envelope.from(), envelope.number(), isForReplica, last));
      return;
    }
    InboundFragments.Id id = new InboundFragments.Id(envelope.from(), envelope.number());
    Optional<InboundFragments.CompleteMessage> whole =
        replicaFragments.has(id)
            ? replicaFragments.finish(id, source, last)
            : requestFragments.finish(id, last);
    if (whole.isEmpty()) {
      // A fragment was lost, so nothing was done: the sender retries.
      replies.send(envelope, new Reply.Stale(0));
    }
    whole.ifPresent(all -> handler.onRequest(envelope.with(all.bytes()), all.reservation()));
  }

  /** Drops a reply of which a fragment was lost: the request then times out. */
  public void reply(NodeMessage.ReplyEnvelope envelope) {
    Fragment last = envelope.reply();
    envelope.from().ifPresent(from -> acknowledge(from, last));
    long number = envelope.number();
    if (!isAdmitted(envelope.clock())) {
      envelope
          .from()
          .flatMap(from -> replyFragments.finish(new InboundFragments.Id(from, number), last))
          .ifPresent(whole -> whole.reservation().close());
      handler.onRejectedReply(
          number,
          "has answered, but its clock is wrong: " + ClockDrift.words(envelope.clock(), clock));
      return;
    }
    if (last.offset() == 0) {
      boolean isRefusable = handler.awaited(number) != PendingRequests.ReplyState.ONCE;
      replyFragments
          .single(last, isRefusable)
          .ifPresentOrElse(
              whole ->
                  handler.onReply(number, envelope.clock(), whole.bytes(), whole.reservation()),
              () -> unread(number, last.bytes().length()));
      return;
    }
    envelope
        .from()
        .flatMap(from -> replyFragments.finish(new InboundFragments.Id(from, number), last))
        .ifPresent(
            whole -> handler.onReply(number, envelope.clock(), whole.bytes(), whole.reservation()));
  }

  public void ack(NodeMessage.FragmentAck ack) {
    handler.onAck(ack.address(), ack.bytes());
  }

  /** Drops an answer from a node whose clock is too far ahead: its driver retries. */
  public void driverReply(NodeMessage.DriverReply reply) {
    if (isAdmitted(reply.clock())) {
      handler.onDriverReply(reply.driver(), reply.clock(), reply.answer());
    }
  }

  private boolean isAdmitted(long time) {
    boolean isAdmitted = clock.admits(time);
    if (isAdmitted) {
      clock.observe(time);
    }
    return isAdmitted;
  }
}
