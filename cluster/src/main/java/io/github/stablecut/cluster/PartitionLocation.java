package io.github.stablecut.cluster;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.time.Duration;
import java.util.List;

/**
 * The owner and the state of a partition, as one node knows them. Immutable.
 *
 * @param partition its number
 * @param node the name of the node that owns it; empty if no owner is known
 * @param address where the owner listens for other nodes, as {@code host:port}
 * @param epoch counts the partition's openings, roughly; the owner has the greatest
 * @param isReachable whether the owner answers now
 * @param isLed whether the owner serves it, as far as is known: a leader that hears from too few
 *     followers steps down, and owns the partition until another replica leads
 * @param lag the time since the owner was last heard
 * @param moves the moves of the partition in progress, and the last one to each node
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
  /** An owner whose last message is older than this counts as silent, and soon after as lost. */
  public static final Duration SILENCE = Duration.ofSeconds(2);

  /** Starts the description of a partition's location. */
  public static Builder builder(int partition, String node, String address) {
    return new Builder(partition, node, address);
  }

  /** Copies the list. */
  public PartitionLocation {
    moves = List.copyOf(moves);
  }

  /** Whether the owner answers, serves the partition, and has sent a message recently. */
  public boolean isServing() {
    return isReachable && isLed && lag.compareTo(SILENCE) < 0;
  }

  /**
   * Builds a {@link PartitionLocation}. Its methods set the components of the same names; without
   * them, numbers are 0, texts and lists are empty, and flags are false. Not thread-safe.
   */
  public static final class Builder {
    private final int partition;
    private final String node;
    private final String address;
    private long epoch;
    private boolean isReachable;
    private boolean isLed;
    private Duration lag = Duration.ZERO;
    private List<PartitionMove> moves = List.of();

    private Builder(int partition, String node, String address) {
      this.partition = partition;
      this.node = node;
      this.address = address;
    }

    @CanIgnoreReturnValue
    public Builder epoch(long epoch) {
      this.epoch = epoch;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder isReachable(boolean isReachable) {
      this.isReachable = isReachable;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder isLed(boolean isLed) {
      this.isLed = isLed;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder lag(Duration lag) {
      this.lag = lag;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder moves(List<PartitionMove> moves) {
      this.moves = moves;
      return this;
    }

    public PartitionLocation build() {
      return new PartitionLocation(partition, node, address, epoch, isReachable, isLed, lag, moves);
    }
  }
}
