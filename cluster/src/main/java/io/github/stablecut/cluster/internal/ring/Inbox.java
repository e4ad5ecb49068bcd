package io.github.stablecut.cluster.internal.ring;

import io.github.stablecut.crdt.Bytes;
import java.util.Optional;

/**
 * What comes to a node about partitions: questions and answers, in pieces perhaps, with the times
 * of their senders. Confined to its node's actor.
 */
final class Inbox {
  private final NodeActor.Host host;
  private final NodeClock clock;
  private final Pieces pieces = new Pieces(System::nanoTime);

  Inbox(NodeActor.Host host, NodeClock clock) {
    this.host = host;
    this.clock = clock;
  }

  void piece(RingMessage.Piece piece) {
    pieces.keep(piece);
  }

  void ask(RingMessage.Ask ask) {
    PartitionEntity.finished(ask, pieces, clock).ifPresent(host::asked);
  }

  /** If a piece of it was lost, so is the answer: whoever waits for it hears that there is none. */
  void answer(RingMessage.Answer answer) {
    Optional<Bytes> whole = pieces.finish(Optional.empty(), answer.number(), answer.reply());
    if (isAdmitted(answer.clock())) {
      whole.ifPresent(reply -> host.answered(answer.number(), answer.clock(), reply));
    } else {
      host.refused(
          answer.number(),
          "has answered, but its clock is wrong: " + ClockDrift.words(answer.clock(), clock));
    }
  }

  /** What comes from a clock that is too far ahead is lost, and asked for again. */
  void told(RingMessage.Told told) {
    if (isAdmitted(told.clock())) {
      host.told(told.driver(), told.clock(), told.answer());
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
