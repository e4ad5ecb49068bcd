package io.github.stablecut.cluster;

import java.time.Duration;
import java.util.List;

/**
 * Where a partition of a cluster is, as one node knows it. Immutable.
 *
 * @param partition its number
 * @param node the name of the node that owns it; empty if nobody was heard of
 * @param address where the node listens for others, as {@code host:port}
 * @param epoch how often the partition was opened, about; the greatest is the owner's
 * @param isReachable whether the owner answers now
 * @param isLed whether the owner serves it, as far as is known: a copy that led resigns when too
 *     few others answer, and owns the partition until another one leads
 * @param lag how long ago the owner was heard of
 * @param moves moves of the partition that are under way, and the last one to each node
 */
public record PartitionLocation(
    int partition,
    String node,
    String address,
    long epoch,
    boolean isReachable,
    boolean isLed,
    Duration lag,
    List<PartitionMove> moves) {
  /** An owner that was not heard of for so long is silent, and lost soon after. */
  public static final Duration SILENCE = Duration.ofSeconds(2);

  /** Copies the list. */
  public PartitionLocation {
    moves = List.copyOf(moves);
  }

  /** Whether the owner answers, serves the partition, and was heard of a moment ago. */
  public boolean isServing() {
    return isReachable && isLed && lag.compareTo(SILENCE) < 0;
  }
}
