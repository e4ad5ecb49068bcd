package io.github.stablecut.cluster.internal.membership;

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
  /** What is being done. */
  public enum Phase {
    /** The owner serves, and the copy is made. */
    COPYING,
    /** The owner serves no more. */
    SWITCHING,
    /** The new owner serves. */
    DONE,
    /** The old owner serves. */
    FAILED
  }

  /** Whether nothing more happens. */
  public boolean isOver() {
    return phase == Phase.DONE || phase == Phase.FAILED;
  }

  /** A move that has come to a phase, of which no more is known. */
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

  /** The same as before, and what it waits for. */
  public MoveProgress stuck(String why) {
    return new MoveProgress(partition, from, to, phase, copied, total, pauseMicros, why, move);
  }

  public MoveProgress failed(String why) {
    return new MoveProgress(
        partition, from, to, Phase.FAILED, copied, total, pauseMicros, why, move);
  }
}
