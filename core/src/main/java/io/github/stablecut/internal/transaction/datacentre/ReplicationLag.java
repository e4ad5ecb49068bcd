package io.github.stablecut.internal.transaction.datacentre;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.replication.GroupState;
import io.github.stablecut.log.Log;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;

/**
 * Measures how far other data centres lag behind the transactions of this one, own and received.
 * The data centre that assigns numbers also detaches those that exceed the maximum lag: a single
 * decider prevents two disconnected data centres from detaching each other. The lag is measured
 * since the store was opened. {@link #detachLagging} is confined to one thread.
 */
public final class ReplicationLag {
  private static final Logger LOG = Log.of(ReplicationLag.class);

  /** The lag from which a warning is reported. */
  private static final Duration WARNING = Duration.ofMinutes(1);

  private final GroupState group;
  private final Supplier<List<Partition>> partitions;
  private final Duration maxLag;

  /** When each data centre began to lack something, by {@link System#nanoTime}. */
  private final Map<Integer, Long> behindSinceNanos = new HashMap<>();

  private final Map<Integer, Duration> behind = new ConcurrentHashMap<>();

  /**
   * @param partitions the current local partitions
   */
  public ReplicationLag(GroupState group, Supplier<List<Partition>> partitions, Duration maxLag) {
    this.group = group;
    this.partitions = partitions;
    this.maxLag = maxLag;
  }

  /** Measures all data centres and detaches those that exceed the maximum lag. */
  public void detachLagging() {
    int own = group.own();
    for (int other : group.known().members().keySet()) {
      if (other != own && group.known().others(own).contains(other)) {
        Duration lag = of(other);
        behind.put(other, lag);
        if (lag.compareTo(maxLag) > 0 && group.known().allocator() == own) {
          LOG.error(
              "data centre {} lags by {} and was detached: join it again with an empty"
                  + " directory",
              other,
              DurationWords.of(lag));
          group.detach(other);
        }
      } else {
        behind.remove(other);
      }
    }
  }

  private Duration of(int other) {
    Duration lag = Duration.ZERO;
    boolean isBehind = false;
    for (Partition partition : partitions.get()) {
      OptionalLong has = partition.streams().lacksAfter(other);
      if (has.isPresent()) {
        isBehind = true;
        long now = partition.now().get(group.own());
        long millis = Timestamp.epochMillis(now) - Timestamp.epochMillis(has.getAsLong());
        lag = lag.compareTo(Duration.ofMillis(millis)) < 0 ? Duration.ofMillis(millis) : lag;
      }
    }
    if (!isBehind) {
      behindSinceNanos.remove(other);
      return Duration.ZERO;
    }
    // The lag can't exceed the time since the data centre was last up to date.
    long nowNanos = System.nanoTime();
    long sinceNanos = behindSinceNanos.computeIfAbsent(other, key -> nowNanos);
    Duration atMost = Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(nowNanos - sinceNanos));
    return lag.compareTo(atMost) < 0 ? lag : atMost;
  }

  /** Describes the data centres that lag far behind, one sentence each. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    behind.forEach(
        (other, lag) -> {
          if (lag.compareTo(WARNING) > 0) {
            problems.add(
                "data centre %d lags behind this one by %s: everything since then is retained until it catches up or is detached"
                    .formatted(other, DurationWords.of(lag)));
          }
        });
    return problems;
  }
}
