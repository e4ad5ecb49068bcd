package io.github.stablecut.cluster.internal.membership;

/**
 * The progress of a partition's move, as its receiver reports it. Immutable.
 *
 * @param from the name of the sender
 * @param to the name of the receiver
 * @param copied the number of bytes copied
 * @param total the last known number of bytes to copy
 * @param pauseMicros how long no node served the partition; 0 until that is known
 * @param problem why the move failed or is stuck; empty without a problem
 * @param move the unique number of the move
 */
public record MoveProgress(
    int partition,
    String from,
    String to,
    Phase phase,
    long copied,
    long total,
    long pauseMicros,
    String problem,
    long move) {
  /** The phases of a move. */
  public enum Phase {
    /** The sender serves while the receiver copies. */
    COPYING,
    /** The sender has stopped serving. */
    SWITCHING,
    /** The receiver serves. */
    DONE,
    /** The sender serves, and the move has ended. */
    FAILED
  }

  /** Whether the move has ended. */
  public boolean isOver() {
    return phase == Phase.DONE || phase == Phase.FAILED;
  }

  /** A move in a phase, without any other progress. */
  public static MoveProgress in(Phase phase, int partition, String from, String to, long move) {
    return new MoveProgress(partition, from, to, phase, 0, 0, 0, "", move);
  }

  public MoveProgress at(Phase next) {
    return new MoveProgress(partition, from, to, next, copied, total, pauseMicros, problem, move);
  }

  public MoveProgress withBytes(long now, long all) {
    return new MoveProgress(partition, from, to, phase, now, all, pauseMicros, problem, move);
  }

  public MoveProgress done(long micros) {
    return new MoveProgress(partition, from, to, Phase.DONE, copied, total, micros, "", move);
  }

  /** The same move in the same phase, with the reason why it is stuck. */
  public MoveProgress stuck(String why) {
    return new MoveProgress(partition, from, to, phase, copied, total, pauseMicros, why, move);
  }

  public MoveProgress failed(String why) {
    return new MoveProgress(
        partition, from, to, Phase.FAILED, copied, total, pauseMicros, why, move);
  }
}
