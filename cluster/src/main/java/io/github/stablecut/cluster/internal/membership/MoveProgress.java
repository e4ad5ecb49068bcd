package io.github.stablecut.cluster.internal.membership;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

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

  /**
   * Starts the progress of a move in the phase {@link Phase#COPYING}, without bytes and without a
   * problem.
   */
  public static Builder builder(int partition, String from, String to, long move) {
    return new Builder(partition, from, to, move);
  }

  /** Returns a builder with the components of this. */
  private Builder toBuilder() {
    return new Builder(partition, from, to, move)
        .phase(phase)
        .copied(copied)
        .total(total)
        .pauseMicros(pauseMicros)
        .problem(problem);
  }

  /** A move in a phase, without any other progress. */
  public static MoveProgress in(Phase phase, int partition, String from, String to, long move) {
    return builder(partition, from, to, move).phase(phase).build();
  }

  public MoveProgress at(Phase next) {
    return toBuilder().phase(next).build();
  }

  public MoveProgress withBytes(long newCopied, long newTotal) {
    return toBuilder().copied(newCopied).total(newTotal).build();
  }

  public MoveProgress done(long micros) {
    return toBuilder().phase(Phase.DONE).pauseMicros(micros).problem("").build();
  }

  /** The same move in the same phase, with the reason why it is stuck. */
  public MoveProgress stuck(String why) {
    return toBuilder().problem(why).build();
  }

  public MoveProgress failed(String why) {
    return toBuilder().phase(Phase.FAILED).problem(why).build();
  }

  /**
   * Builds a {@link MoveProgress}. Its methods set the components of the same names; without them,
   * numbers are 0, texts and lists are empty, and flags are false. Not thread-safe.
   */
  public static final class Builder {
    private final int partition;
    private final String from;
    private final String to;
    private final long move;
    private Phase phase = Phase.COPYING;
    private long copied;
    private long total;
    private long pauseMicros;
    private String problem = "";

    private Builder(int partition, String from, String to, long move) {
      this.partition = partition;
      this.from = from;
      this.to = to;
      this.move = move;
    }

    @CanIgnoreReturnValue
    public Builder phase(Phase phase) {
      this.phase = phase;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder copied(long copied) {
      this.copied = copied;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder total(long total) {
      this.total = total;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder pauseMicros(long pauseMicros) {
      this.pauseMicros = pauseMicros;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder problem(String problem) {
      this.problem = problem;
      return this;
    }

    public MoveProgress build() {
      return new MoveProgress(
          partition, from, to, phase, copied, total, pauseMicros, problem, move);
    }
  }
}
