package io.github.stablecut.option;

import io.github.stablecut.CausalToken;
import java.util.Objects;
import java.util.Optional;

/**
 * The options of a reader's snapshot. Immutable.
 *
 * @param reads the replicas of partitions that provide it
 * @param after a point that it must contain; the call waits for this point, for at most {@link
 *     Timeouts#read}
 */
public record SnapshotOptions(ReadPreference reads, Optional<CausalToken> after) {
  /** Checks for nulls. */
  public SnapshotOptions {
    Objects.requireNonNull(reads, "reads");
    Objects.requireNonNull(after, "after");
  }

  /** A snapshot from the leaders of partitions. */
  public static SnapshotOptions leader() {
    return new SnapshotOptions(ReadPreference.LEADER, Optional.empty());
  }

  /** A snapshot from the replicas on the contacted node. */
  public static SnapshotOptions nearest() {
    return new SnapshotOptions(ReadPreference.NEAREST, Optional.empty());
  }

  /**
   * Sets a point that the snapshot must contain. With the token of their last snapshot or commit,
   * readers never go back in time.
   */
  public SnapshotOptions after(CausalToken token) {
    return new SnapshotOptions(reads, Optional.of(token));
  }
}
