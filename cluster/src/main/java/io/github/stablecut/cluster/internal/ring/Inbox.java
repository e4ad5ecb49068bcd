package io.github.stablecut.cluster.internal.ring;

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
    observe(answer.clock());
    pieces
        .finish(Optional.empty(), answer.number(), answer.reply())
        .ifPresent(whole -> host.answered(answer.number(), whole));
  }

  void told(RingMessage.Told told) {
    observe(told.clock());
    host.told(told.driver(), told.answer());
  }

  private void observe(long time) {
    if (clock.admits(time)) {
      clock.observe(time);
    }
  }
}
