package io.github.stablecut.internal.partition.replicated;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.FollowerStatus;
import io.github.stablecut.internal.replica.Replica;
import io.github.stablecut.journal.segment.LogSpace;
import java.util.List;
import java.util.Optional;

/**
 * The status of a replica, for administrators. Immutable.
 *
 * @param name the replica's
 * @param role its current role
 * @param configuration the newest one that it knows
 * @param committed the number after the last record that it knows to be committed
 * @param first the number of its oldest record
 * @param next the number after its last record
 * @param isComplete whether it is a voter, and each wanted node has a voter
 * @param isUpToDate whether, in addition, it leads or has everything that its leader committed
 * @param isLed whether it leads or has heard its leader within the election timeout
 * @param followers its view of the other replicas while it leads
 * @param room its disk space
 * @param isShortened whether it may have lost records that it acknowledged, so that its vote does
 *     not count until it has recovered a leader's whole log
 * @param failure why it takes part in nothing; empty if it does
 */
public record ReplicaStatus(
    String name,
    Replica.Role role,
    Configuration configuration,
    long committed,
    long first,
    long next,
    boolean isComplete,
    boolean isUpToDate,
    boolean isLed,
    List<FollowerStatus> followers,
    LogSpace room,
    boolean isShortened,
    Optional<String> failure) {
  /** Starts the status of a replica. */
  static Builder builder(String name, Replica.Role role, Configuration configuration) {
    return new Builder(name, role, configuration);
  }

  /** Returns a builder with the components of this. */
  private Builder toBuilder() {
    return new Builder(name, role, configuration)
        .committed(committed)
        .first(first)
        .next(next)
        .isComplete(isComplete)
        .isUpToDate(isUpToDate)
        .isLed(isLed)
        .followers(followers)
        .room(room)
        .isShortened(isShortened)
        .failure(failure);
  }

  /** The last known status of a replica that has stopped handling events. */
  ReplicaStatus stopped(String why) {
    return toBuilder().isUpToDate(false).isLed(false).failure(Optional.of(why)).build();
  }

  /**
   * Builds a {@link ReplicaStatus}. Its methods set the components of the same names; without them,
   * numbers are 0, texts and lists are empty, and flags are false. Not thread-safe.
   */
  static final class Builder {
    private final String name;
    private final Replica.Role role;
    private final Configuration configuration;
    private long committed;
    private long first;
    private long next;
    private boolean isComplete;
    private boolean isUpToDate;
    private boolean isLed;
    private List<FollowerStatus> followers = List.of();
    private LogSpace room = LogSpace.ENOUGH;
    private boolean isShortened;
    private Optional<String> failure = Optional.empty();

    private Builder(String name, Replica.Role role, Configuration configuration) {
      this.name = name;
      this.role = role;
      this.configuration = configuration;
    }

    @CanIgnoreReturnValue
    Builder committed(long committed) {
      this.committed = committed;
      return this;
    }

    @CanIgnoreReturnValue
    Builder first(long first) {
      this.first = first;
      return this;
    }

    @CanIgnoreReturnValue
    Builder next(long next) {
      this.next = next;
      return this;
    }

    @CanIgnoreReturnValue
    Builder isComplete(boolean isComplete) {
      this.isComplete = isComplete;
      return this;
    }

    @CanIgnoreReturnValue
    Builder isUpToDate(boolean isUpToDate) {
      this.isUpToDate = isUpToDate;
      return this;
    }

    @CanIgnoreReturnValue
    Builder isLed(boolean isLed) {
      this.isLed = isLed;
      return this;
    }

    @CanIgnoreReturnValue
    Builder followers(List<FollowerStatus> followers) {
      this.followers = followers;
      return this;
    }

    @CanIgnoreReturnValue
    Builder room(LogSpace room) {
      this.room = room;
      return this;
    }

    @CanIgnoreReturnValue
    Builder isShortened(boolean isShortened) {
      this.isShortened = isShortened;
      return this;
    }

    @CanIgnoreReturnValue
    Builder failure(Optional<String> failure) {
      this.failure = failure;
      return this;
    }

    ReplicaStatus build() {
      return new ReplicaStatus(
          name,
          role,
          configuration,
          committed,
          first,
          next,
          isComplete,
          isUpToDate,
          isLed,
          followers,
          room,
          isShortened,
          failure);
    }
  }
}
