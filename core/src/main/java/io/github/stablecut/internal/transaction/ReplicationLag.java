package io.github.stablecut.internal.transaction;

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
 * How far other data centres are behind with what is here, whoever has committed it. Who gives the
 * numbers also detaches who is behind by more than the longest lag: one alone decides, so that two
 * that can't reach each other do not detach each other. Counted since the store was opened. {@link
 * #detachWhoLags} is confined to one thread.
 */
final class ReplicationLag {
  private static final Logger LOG = Log.of(ReplicationLag.class);

  /** From here on it is worth a warning. */
  private static final Duration WARNING = Duration.ofMinutes(1);

  private final GroupState group;
  private final Supplier<List<Partition>> partitions;
  private final Duration most;

  /** Since when a data centre lacks something, by {@link System#nanoTime}. */
  private final Map<Integer, Long> behindSince = new HashMap<>();

  private final Map<Integer, Duration> behind = new ConcurrentHashMap<>();

  /**
   * @param partitions those that are here now
   */
  ReplicationLag(GroupState group, Supplier<List<Partition>> partitions, Duration most) {
    this.group = group;
    this.partitions = partitions;
    this.most = most;
  }

  /** Looks at all data centres. */
  void detachWhoLags() {
    int own = group.own();
    for (int other : group.known().members().keySet()) {
      if (other != own && group.known().others(own).contains(other)) {
        Duration lag = of(other);
        behind.put(other, lag);
        if (lag.compareTo(most) > 0 && group.known().allocator() == own) {
          LOG.error(
              "data centre {} is behind by {} and is detached: join it again with an empty"
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
      behindSince.remove(other);
      return Duration.ZERO;
    }
    // Before it was up to date, or nothing was committed or had come.
    long nanos = System.nanoTime();
    long since = behindSince.computeIfAbsent(other, key -> nanos);
    Duration atMost = Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(nanos - since));
    return lag.compareTo(atMost) < 0 ? lag : atMost;
  }

  /** Who is far behind, one sentence each. */
  List<String> problems() {
    List<String> problems = new ArrayList<>();
    behind.forEach(
        (other, lag) -> {
          if (lag.compareTo(WARNING) > 0) {
            problems.add(
                "data centre %d has not taken for %s what is here: everything since then is kept for it, until it is back or detached"
                    .formatted(other, DurationWords.of(lag)));
          }
        });
    return problems;
  }
}
