package io.github.stablecut.cluster.internal.ring;

/**
 * How far the move of a partition is, as the node that gets it tells. Immutable.
 *
 * @param from the name of the node that has it, or had it
 * @param to the name of the node that gets it, or has it
 * @param copied so many bytes are there
 * @param total so many there are to be, as was known last
 * @param pauseMicros how long nobody served the partition; 0 while it is not known
 * @param problem why it has failed, or does not go on; empty if all is well
 * @param move a number that no other move has
 */
record MoveFacts(
    int partition,
    String from,
    String to,
    Phase phase,
    long copied,
    long total,
    long pauseMicros,
    String problem,
    long move) {
  /** What is being done. */
  enum Phase {
    /** The owner serves, and the copy is made. */
    COPYING(1),
    /** The owner serves no more. */
    SWITCHING(2),
    /** The new owner serves. */
    DONE(3),
    /** The old owner serves. */
    FAILED(4);

    /** What it is on the wire, for ever. */
    private final int kind;

    Phase(int kind) {
      this.kind = kind;
    }

    static Phase of(int kind) {
      for (Phase phase : values()) {
        if (phase.kind == kind) {
          return phase;
        }
      }
      throw new BadMessageException("phase " + kind + " of a move");
    }
  }

  boolean isOver() {
    return phase == Phase.DONE || phase == Phase.FAILED;
  }

  /** A move that has come to a phase, of which no more is known. */
  static MoveFacts in(Phase phase, int partition, String from, String to, long move) {
    return new MoveFacts(partition, from, to, phase, 0, 0, 0, "", move);
  }

  MoveFacts at(Phase next) {
    return new MoveFacts(partition, from, to, next, copied, total, pauseMicros, problem, move);
  }

  MoveFacts withBytes(long now, long all) {
    return new MoveFacts(partition, from, to, phase, now, all, pauseMicros, problem, move);
  }

  MoveFacts done(long micros) {
    return new MoveFacts(partition, from, to, Phase.DONE, copied, total, micros, "", move);
  }

  /** The same as before, and what it waits for. */
  MoveFacts stuck(String why) {
    return new MoveFacts(partition, from, to, phase, copied, total, pauseMicros, why, move);
  }

  MoveFacts failed(String why) {
    return new MoveFacts(partition, from, to, Phase.FAILED, copied, total, pauseMicros, why, move);
  }

  void write(WireOutput out) {
    out.size(partition).text(from).text(to).kind(phase.kind).number(copied).number(total);
    out.number(pauseMicros).text(problem).number(move);
  }

  static MoveFacts read(WireInput in) {
    int partition = in.small();
    String from = in.text();
    String to = in.text();
    Phase phase = Phase.of(in.kind());
    return new MoveFacts(
        partition, from, to, phase, in.count(), in.count(), in.count(), in.text(), in.number());
  }
}
