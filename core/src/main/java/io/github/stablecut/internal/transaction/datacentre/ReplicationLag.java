package io.github.stablecut.internal.transaction.datacentre;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.recovery.Member;
import io.github.stablecut.internal.replication.GroupState;
import io.github.stablecut.log.Log;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;

/**
 * Measures how far other data centres lag behind the transactions of this one, own and received.
 * The data centre that assigns numbers also detaches those that exceed the maximum lag: a single
 * decider prevents two disconnected data centres from detaching each other. The lag is measured
 * since the store was opened, and for a new data centre since it was first heard. {@link
 * #detachLagging} is confined to one thread.
 */
public final class ReplicationLag {
  private static final Logger LOG = Log.of(ReplicationLag.class);

  /** The lag from which a warning is reported. */
  private static final Duration WARNING = Duration.ofMinutes(1);

  /**
   * The minimum time that an admitted data centre gets for its first message: it receives and
   * restores its initial state meanwhile, which may take longer than the maximum lag.
   */
  private static final Duration JOINING_AT_LEAST = Duration.ofDays(1);

  private final GroupState group;
  private final Supplier<List<Partition>> partitions;
  private final Duration maxLag;
  private final IntPredicate isBeingAdmitted;
  private final LongSupplier nanoTime;

  /** The time at which each data centre began to lack something, by {@link System#nanoTime}. */
  private final Map<Integer, Long> behindSinceNanos = new HashMap<>();

  /** The time at which each data centre without a message yet had received its initial state. */
  private final Map<Integer, Long> joiningSinceNanos = new HashMap<>();

  private final Map<Integer, Lag> behind = new ConcurrentHashMap<>();

  /**
   * The lag of a data centre.
   *
   * @param isJoining whether no message from it has arrived yet
   */
  private record Lag(Duration time, boolean isJoining) {}

  /**
   * @param partitions the current local partitions
   * @param isBeingAdmitted whether this process sends a data centre its initial state now
   * @param nanoTime as {@link System#nanoTime}
   */
  public ReplicationLag(
      GroupState group,
      Supplier<List<Partition>> partitions,
      Duration maxLag,
      IntPredicate isBeingAdmitted,
      LongSupplier nanoTime) {
    this.group = group;
    this.partitions = partitions;
    this.maxLag = maxLag;
    this.isBeingAdmitted = isBeingAdmitted;
    this.nanoTime = nanoTime;
  }

  /** Measures all data centres and detaches those that exceed the maximum lag. */
  public void detachLagging() {
    int own = group.own();
    for (int other : group.known().members().keySet()) {
      if (other == own || !group.known().others(own).contains(other)) {
        behind.remove(other);
        continue;
      }
      boolean isJoining = group.known().member(other).state() == Member.State.JOINING;
      Lag lag = new Lag(isJoining ? joining(other) : of(other), isJoining);
      behind.put(other, lag);
      if (lag.time.compareTo(limit(lag)) > 0 && group.known().allocator() == own) {
        LOG.error(
            isJoining
                ? "data centre {} was admitted {} ago and never sent a message, so it was detached: join it"
                    + " again with an empty directory"
                : "data centre {} lags by {} and was detached: join it again with an empty"
                    + " directory",
            other,
            DurationWords.of(lag.time));
        group.detach(other);
        behind.remove(other);
      }
    }
  }

  private Duration limit(Lag lag) {
    return lag.isJoining && maxLag.compareTo(JOINING_AT_LEAST) < 0 ? JOINING_AT_LEAST : maxLag;
  }

  /**
   * Returns the time since a data centre received its initial state. Its lag counts after its first
   * message.
   */
  private Duration joining(int other) {
    long nowNanos = nanoTime.getAsLong();
    behindSinceNanos.remove(other);
    if (isBeingAdmitted.test(other)) {
      joiningSinceNanos.put(other, nowNanos);
    }
    return elapsed(joiningSinceNanos.computeIfAbsent(other, any -> nowNanos), nowNanos);
  }

  private static Duration elapsed(long sinceNanos, long nowNanos) {
    return Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(nowNanos - sinceNanos));
  }

  private Duration of(int other) {
    Duration lag = Duration.ZERO;
    boolean isBehind = false;
    for (Partition partition : partitions.get()) {
      OptionalLong has = partition.streams().lacksAfter(other);
      if (has.isPresent()) {
        isBehind = true;
        long present = partition.now().get(group.own());
        long millis = Timestamp.epochMillis(present) - Timestamp.epochMillis(has.getAsLong());
        lag = lag.compareTo(Duration.ofMillis(millis)) < 0 ? Duration.ofMillis(millis) : lag;
      }
    }
    if (!isBehind) {
      behindSinceNanos.remove(other);
      return Duration.ZERO;
    }
    // The lag can't exceed the time since the data centre was last up to date.
    long nowNanos = nanoTime.getAsLong();
    Duration atMost = elapsed(behindSinceNanos.computeIfAbsent(other, any -> nowNanos), nowNanos);
    return lag.compareTo(atMost) < 0 ? lag : atMost;
  }

  /**
   * Returns the time for which a data centre has lacked something that is here; zero if it lacks
   * nothing.
   */
  public Duration behind(int other) {
    Lag lag = behind.get(other);
    return lag == null ? Duration.ZERO : lag.time;
  }

  /**
   * Returns the time until a data centre is detached unless it catches up; empty if it lacks
   * nothing.
   */
  public Optional<Duration> untilDetached(int other) {
    return Optional.ofNullable(behind.get(other)).filter(lag -> !lag.time.isZero()).map(this::left);
  }

  private Duration left(Lag lag) {
    Duration left = limit(lag).minus(lag.time);
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** Describes the data centres that lag far behind, one sentence each. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    behind.forEach(
        (other, lag) -> {
          if (lag.time.compareTo(WARNING) > 0) {
            problems.add(problem(other, lag));
          }
        });
    return problems;
  }

  private String problem(int other, Lag lag) {
    String when = "in " + DurationWords.of(left(lag).truncatedTo(ChronoUnit.SECONDS));
    return lag.isJoining
        ? "data centre %d received its initial state %s ago and has sent no message yet: everything since then is retained for it; start it, or detach it (otherwise it is detached %s)"
            .formatted(other, DurationWords.of(lag.time), when)
        : "data centre %d lags behind this one by %s: everything since then is retained for it until it catches up; it is detached %s unless it does"
            .formatted(other, DurationWords.of(lag.time), when);
  }
}
