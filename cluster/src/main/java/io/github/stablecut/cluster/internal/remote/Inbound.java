package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.membership.ClockDrift;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.wire.Fragment;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.crdt.Bytes;
import java.util.Optional;

/**
 * What comes to a node about partitions: requests and answers, in pieces perhaps, with the times of
 * their senders. For what there is no memory, its sender is asked to try again. Confined to its
 * node's actor.
 */
public final class Inbound {
  /** What is done with what has come. Nothing of it blocks. */
  public interface Handler {
    /**
     * A request for this node's own partitions, or about a move, has come.
     *
     * @param claim to be closed once its bytes are not needed any more
     */
    void asked(NodeMessage.RequestEnvelope ask, TrafficBudget.Reservation claim);

    /** Whether an answer is waited for. */
    PendingRequests.Awaited awaited(long number);

    /**
     * An answer to a request has come.
     *
     * @param sender the clock of who has answered
     * @param claim as above
     */
    void answered(long number, long sender, Bytes reply, TrafficBudget.Reservation claim);

    /** An answer to a request has come that can't be believed. */
    void refused(long number, String why);

    /** An answer to a request has come, and there was no memory for it. */
    void unread(long number, String why);

    /**
     * An answer to a driver has come.
     *
     * @param sender the clock of who has answered
     */
    public void told(long driver, long sender, Bytes answer);

    /** A node has taken bytes of what is sent to it. */
    public void taken(String address, long bytes);
  }

  private final String address;
  private final Handler handler;
  private final NodeClock clock;
  private final ReplySender replies;
  private final TrafficBudgets traffic;
  private final InboundFragments requests;
  private final InboundFragments answers;

  /**
   * @param address this node's
   * @param replies answers what is not answered by the desk
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
    this.requests = new InboundFragments(System::nanoTime, traffic.requestsIn());
    this.answers = new InboundFragments(System::nanoTime, traffic.answersIn());
  }

  public void piece(NodeMessage.FragmentMessage piece) {
    acknowledge(piece.from(), piece.part());
    int length = piece.part().bytes().length();
    InboundFragments.Id id = new InboundFragments.Id(piece.from(), piece.number());
    if (piece.partition() != NodeMessage.FragmentMessage.ANSWER) {
      if (!requests.keep(id, piece.part(), true)) {
        busy(piece.from(), piece.number(), length);
      }
      return;
    }
    PendingRequests.Awaited awaited = handler.awaited(piece.number());
    if (awaited != PendingRequests.Awaited.NO
        && !answers.keep(id, piece.part(), awaited == PendingRequests.Awaited.OR_AGAIN)) {
      unread(piece.number(), length);
    }
  }

  private void acknowledge(NodeRef from, Fragment part) {
    from.tell(new NodeMessage.FragmentAck(address, part.bytes().length()));
  }

  private void busy(NodeRef from, long number, int bytes) {
    String why = String.valueOf(traffic.requestsIn().refusal(bytes).getMessage());
    replies.send(from, number, new Reply.Busy(why));
  }

  private void unread(long number, int bytes) {
    handler.unread(number, String.valueOf(traffic.answersIn().refusal(bytes).getMessage()));
  }

  public void ask(NodeMessage.RequestEnvelope ask) {
    Fragment last = ask.request();
    if (OutboundFragments.isOfLarge(last)) {
      acknowledge(ask.from(), last);
    }
    if (last.offset() == 0) {
      Optional<InboundFragments.Whole> only = requests.single(last, true);
      only.ifPresentOrElse(
          whole -> handler.asked(ask, whole.claim()),
          () -> busy(ask.from(), ask.number(), last.bytes().length()));
      return;
    }
    Optional<InboundFragments.Whole> whole =
        requests.finish(new InboundFragments.Id(ask.from(), ask.number()), last);
    if (whole.isEmpty()) {
      // A piece was lost: nothing was done, and it is asked again.
      replies.send(ask, new Reply.Stale(0));
    }
    whole.ifPresent(all -> handler.asked(ask.with(all.bytes()), all.claim()));
  }

  /** If a piece of it was lost, so is the answer: whoever waits for it hears that there is none. */
  public void answer(NodeMessage.ReplyEnvelope answer) {
    Fragment last = answer.reply();
    answer.from().ifPresent(from -> acknowledge(from, last));
    long number = answer.number();
    if (!isAdmitted(answer.clock())) {
      answer
          .from()
          .flatMap(from -> answers.finish(new InboundFragments.Id(from, number), last))
          .ifPresent(whole -> whole.claim().close());
      handler.refused(
          number,
          "has answered, but its clock is wrong: " + ClockDrift.words(answer.clock(), clock));
      return;
    }
    if (last.offset() == 0) {
      boolean isRefusable = handler.awaited(number) != PendingRequests.Awaited.FOR_SURE;
      answers
          .single(last, isRefusable)
          .ifPresentOrElse(
              whole -> handler.answered(number, answer.clock(), whole.bytes(), whole.claim()),
              () -> unread(number, last.bytes().length()));
      return;
    }
    answer
        .from()
        .flatMap(from -> answers.finish(new InboundFragments.Id(from, number), last))
        .ifPresent(whole -> handler.answered(number, answer.clock(), whole.bytes(), whole.claim()));
  }

  public void taken(NodeMessage.FragmentAck taken) {
    handler.taken(taken.address(), taken.bytes());
  }

  /** What comes from a clock that is too far ahead is lost, and asked for again. */
  public void told(NodeMessage.DriverReply told) {
    if (isAdmitted(told.clock())) {
      handler.told(told.driver(), told.clock(), told.answer());
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
