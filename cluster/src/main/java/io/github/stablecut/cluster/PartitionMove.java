package io.github.stablecut.cluster;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.time.Duration;

/**
 * The progress of a partition's move. Immutable.
 *
 * @param from the name of the sending node, the owner before the move
 * @param to the name of the receiving node
 * @param copiedBytes how much was copied
 * @param totalBytes how much there is to copy, as last known
 * @param pause how long no node served the partition; zero until known
 * @param problem why the move has failed or is stuck; empty if it is well
 * @param number identifies the move
 */
public record PartitionMove(
    String from,
    String to,
    State state,
    long copiedBytes,
    long totalBytes,
    Duration pause,
    String problem,
    long number) {
  /** Starts the description of a move. */
  public static Builder builder(String from, String to, State state) {
    return new Builder(from, to, state);
  }

  /** The phase of a move. */
  public enum State {
    /** The files are being copied; the old owner still serves. */
    COPYING,
    /** The old owner has stopped serving, and the new owner does not serve yet. */
    SWITCHING,
    /** The new owner serves. */
    DONE,
    /** The move was given up; the old owner serves. */
    FAILED
  }

  /**
   * Builds a {@link PartitionMove}. Its methods set the components of the same names; without them,
   * numbers are 0, texts and lists are empty, and flags are false. Not thread-safe.
   */
  public static final class Builder {
    private final String from;
    private final String to;
    private final State state;
    private long copiedBytes;
    private long totalBytes;
    private Duration pause = Duration.ZERO;
    private String problem = "";
    private long number;

    private Builder(String from, String to, State state) {
      this.from = from;
      this.to = to;
      this.state = state;
    }

    @CanIgnoreReturnValue
    public Builder copiedBytes(long copiedBytes) {
      this.copiedBytes = copiedBytes;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder totalBytes(long totalBytes) {
      this.totalBytes = totalBytes;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder pause(Duration pause) {
      this.pause = pause;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder problem(String problem) {
      this.problem = problem;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder number(long number) {
      this.number = number;
      return this;
    }

    public PartitionMove build() {
      return new PartitionMove(from, to, state, copiedBytes, totalBytes, pause, problem, number);
    }
  }
}
