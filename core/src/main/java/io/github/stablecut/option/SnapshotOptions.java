package io.github.stablecut.option;

import io.github.stablecut.CausalToken;
import java.util.Objects;
import java.util.Optional;

/**
 * Which snapshot is taken. Immutable.
 *
 * @param reads from which copies of partitions
 * @param after a point that it must contain; it is waited for, at most for {@link Timeouts#read}
 */
public record SnapshotOptions(ReadPreference reads, Optional<CausalToken> after) {
  /** Checks for nulls. */
  public SnapshotOptions {
    Objects.requireNonNull(reads, "reads");
    Objects.requireNonNull(after, "after");
  }

  /** Of what those know that lead partitions. */
  public static SnapshotOptions leader() {
    return new SnapshotOptions(ReadPreference.LEADER, Optional.empty());
  }

  /** Of what the copies on the node that is asked know. */
  public static SnapshotOptions nearest() {
    return new SnapshotOptions(ReadPreference.NEAREST, Optional.empty());
  }

  /**
   * These options with a point that the snapshot must contain: who passes the token of the last
   * snapshot, or of a commit, never goes back.
   */
  public SnapshotOptions after(CausalToken token) {
    return new SnapshotOptions(reads, Optional.of(token));
  }
}
