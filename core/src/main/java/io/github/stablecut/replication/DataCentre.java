package io.github.stablecut.replication;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A data centre as another one sees it. Immutable.
 *
 * @param number its number, which is never reused
 * @param storeId the id of its store
 * @param state whether it is a member
 * @param address its address; empty if no data centre can reach it, or if the address is not known
 *     yet
 * @param isReachable whether a message from it has arrived within the last two seconds; true for
 *     this one
 * @param received the time up to which this data centre has received all its commits
 * @param acknowledged the time up to which it has acknowledged all commits of this data centre.
 *     Later commits are retained for it: journal files are not truncated, and states not pruned
 * @param behind how long it has lacked something that is here, as far as this data centre knows
 *     since its store was opened; zero if nothing. All that it lacks is retained for it
 * @param untilDetached how long until it is detached because of that; empty if it lacks nothing
 * @param problem why messages are not exchanged with it; empty if they are
 */
public record DataCentre(
    int number,
    long storeId,
    State state,
    Optional<String> address,
    boolean isReachable,
    Instant received,
    Instant acknowledged,
    Duration behind,
    Optional<Duration> untilDetached,
    Optional<String> problem) {
  /** Starts the description of a data centre. */
  public static Builder builder(int number, long storeId, State state) {
    return new Builder(number, storeId, state);
  }

  /** The membership of a data centre. */
  public enum State {
    /** The data centre has a number, and no message from it has arrived yet. */
    JOINING,
    /** The data centre is a member of the group. */
    MEMBER,
    /** The data centre has left the group. To return, it joins again with an empty directory. */
    DETACHED
  }

  /**
   * Builds a {@link DataCentre}. Its methods set the components of the same names; without them,
   * flags are false, instants are 1970-01-01, and the others are empty. Not thread-safe.
   */
  public static final class Builder {
    private final int number;
    private final long storeId;
    private final State state;
    private Optional<String> address = Optional.empty();
    private boolean isReachable;
    private Instant received = Instant.EPOCH;
    private Instant acknowledged = Instant.EPOCH;
    private Duration behind = Duration.ZERO;
    private Optional<Duration> untilDetached = Optional.empty();
    private Optional<String> problem = Optional.empty();

    private Builder(int number, long storeId, State state) {
      this.number = number;
      this.storeId = storeId;
      this.state = state;
    }

    @CanIgnoreReturnValue
    public Builder address(Optional<String> address) {
      this.address = address;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder isReachable(boolean isReachable) {
      this.isReachable = isReachable;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder received(Instant received) {
      this.received = received;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder acknowledged(Instant acknowledged) {
      this.acknowledged = acknowledged;
      return this;
    }

    /** Sets {@code behind} and {@code untilDetached}; without them, it lacks nothing. */
    @CanIgnoreReturnValue
    public Builder lag(Duration behind, Optional<Duration> untilDetached) {
      this.behind = behind;
      this.untilDetached = untilDetached;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder problem(Optional<String> problem) {
      this.problem = problem;
      return this;
    }

    public DataCentre build() {
      return new DataCentre(
          number,
          storeId,
          state,
          address,
          isReachable,
          received,
          acknowledged,
          behind,
          untilDetached,
          problem);
    }
  }
}
