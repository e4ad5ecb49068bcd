package io.github.stablecut.cluster.internal.ring;

import akka.actor.typed.ActorRef;
import io.github.stablecut.crdt.Bytes;
import java.util.Optional;

/**
 * What comes to a node about partitions: questions and answers, in pieces perhaps, with the times
 * of their senders. For what there is no memory, its sender is asked to try again. Confined to its
 * node's actor.
 */
final class Inbox {
  /** What is done with what has come. Nothing of it blocks. */
  interface Desk {
    /**
     * A question for this node's own partitions, or about a move, has come.
     *
     * @param claim to be closed once its bytes are not needed any more
     */
    void asked(RingMessage.Ask ask, TrafficBudget.Claim claim);

    /** Whether an answer is waited for. */
    Asks.Awaited awaited(long number);

    /**
     * An answer to a question has come.
     *
     * @param sender the clock of who has answered
     * @param claim as above
     */
    void answered(long number, long sender, Bytes reply, TrafficBudget.Claim claim);

    /** An answer to a question has come that can't be believed. */
    void refused(long number, String why);

    /** An answer to a question has come, and there was no memory for it. */
    void unread(long number, String why);

    /**
     * An answer to a driver has come.
     *
     * @param sender the clock of who has answered
     */
    void told(long driver, long sender, Bytes answer);

    /** A node has taken bytes of what is sent to it. */
    void taken(String address, long bytes);
  }

  private final String address;
  private final Desk desk;
  private final NodeClock clock;
  private final Replies replies;
  private final Traffic traffic;
  private final Pieces questions;
  private final Pieces answers;

  /**
   * @param address this node's
   * @param replies answers what is not answered by the desk
   */
  Inbox(String address, Desk desk, NodeClock clock, Replies replies, Traffic traffic) {
    this.address = address;
    this.desk = desk;
    this.clock = clock;
    this.replies = replies;
    this.traffic = traffic;
    this.questions = new Pieces(System::nanoTime, traffic.questionsIn());
    this.answers = new Pieces(System::nanoTime, traffic.answersIn());
  }

  void piece(RingMessage.Piece piece) {
    acknowledge(piece.from(), piece.part());
    int length = piece.part().bytes().length();
    Pieces.Id id = new Pieces.Id(piece.from(), piece.number());
    if (piece.partition() != RingMessage.Piece.ANSWER) {
      if (!questions.keep(id, piece.part(), true)) {
        busy(piece.from(), piece.number(), length);
      }
      return;
    }
    Asks.Awaited awaited = desk.awaited(piece.number());
    if (awaited != Asks.Awaited.NO
        && !answers.keep(id, piece.part(), awaited == Asks.Awaited.OR_AGAIN)) {
      unread(piece.number(), length);
    }
  }

  private void acknowledge(ActorRef<RingMessage> from, Pieces.Part part) {
    from.tell(new RingMessage.Taken(address, part.bytes().length()));
  }

  private void busy(ActorRef<RingMessage> from, long number, int bytes) {
    String why = String.valueOf(traffic.questionsIn().refusal(bytes).getMessage());
    replies.send(from, number, new Reply.Busy(why));
  }

  private void unread(long number, int bytes) {
    desk.unread(number, String.valueOf(traffic.answersIn().refusal(bytes).getMessage()));
  }

  void ask(RingMessage.Ask ask) {
    Pieces.Part last = ask.question();
    if (Outbox.isOfLarge(last)) {
      acknowledge(ask.from(), last);
    }
    if (last.offset() == 0) {
      Optional<Pieces.Whole> only = questions.single(last, true);
      only.ifPresentOrElse(
          whole -> desk.asked(ask, whole.claim()),
          () -> busy(ask.from(), ask.number(), last.bytes().length()));
      return;
    }
    Optional<Pieces.Whole> whole = questions.finish(new Pieces.Id(ask.from(), ask.number()), last);
    if (whole.isEmpty()) {
      // A piece was lost: nothing was done, and it is asked again.
      replies.send(ask, new Reply.Stale(0));
    }
    whole.ifPresent(all -> desk.asked(ask.with(all.bytes()), all.claim()));
  }

  /** If a piece of it was lost, so is the answer: whoever waits for it hears that there is none. */
  void answer(RingMessage.Answer answer) {
    Pieces.Part last = answer.reply();
    answer.from().ifPresent(from -> acknowledge(from, last));
    long number = answer.number();
    if (!isAdmitted(answer.clock())) {
      answer
          .from()
          .flatMap(from -> answers.finish(new Pieces.Id(from, number), last))
          .ifPresent(whole -> whole.claim().close());
      desk.refused(
          number,
          "has answered, but its clock is wrong: " + ClockDrift.words(answer.clock(), clock));
      return;
    }
    if (last.offset() == 0) {
      boolean isRefusable = desk.awaited(number) != Asks.Awaited.FOR_SURE;
      answers
          .single(last, isRefusable)
          .ifPresentOrElse(
              whole -> desk.answered(number, answer.clock(), whole.bytes(), whole.claim()),
              () -> unread(number, last.bytes().length()));
      return;
    }
    answer
        .from()
        .flatMap(from -> answers.finish(new Pieces.Id(from, number), last))
        .ifPresent(whole -> desk.answered(number, answer.clock(), whole.bytes(), whole.claim()));
  }

  void taken(RingMessage.Taken taken) {
    desk.taken(taken.address(), taken.bytes());
  }

  /** What comes from a clock that is too far ahead is lost, and asked for again. */
  void told(RingMessage.Told told) {
    if (isAdmitted(told.clock())) {
      desk.told(told.driver(), told.clock(), told.answer());
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
