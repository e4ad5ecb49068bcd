package io.github.stablecut.cluster.internal.node;

import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.log.Log;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;

/** Warnings for administrators while a node serves. Thread-safe. */
final class NodeWarnings {
  private static final Logger LOG = Log.of(NodeWarnings.class);

  /** A warning expires after this time unless it is repeated. */
  private static final Duration WARNING_LIFETIME = Duration.ofSeconds(30);

  /** The lead of the cluster's clock over this machine's that causes a warning. */
  private static final Duration FAR_AHEAD = Duration.ofSeconds(30);

  private record RepeatedWarning(String problem, long nanos) {}

  private final NodeClock clock;
  private volatile Optional<RepeatedWarning> warning = Optional.empty();

  /**
   * @param clock the node's clock
   */
  NodeWarnings(NodeClock clock) {
    this.clock = clock;
  }

  /** Sets the current warning; logs it unless another one is current. */
  void warn(String problem) {
    boolean isNew = current().isEmpty();
    warning = Optional.of(new RepeatedWarning(problem, System.nanoTime()));
    if (isNew) {
      LOG.warn("{}", problem);
    }
  }

  /** Returns the current warnings, and some that others have found. */
  List<String> with(List<String> others) {
    List<String> all = new ArrayList<>(others);
    current().ifPresent(all::add);
    Duration ahead = clock.ahead();
    if (ahead.compareTo(FAR_AHEAD) > 0) {
      all.add(
          "the cluster's clock is %s ahead of this machine's, and nodes refuse each other at %s (cluster.max-clock-drift): find the node whose clock is or was wrong, and correct it"
              .formatted(DurationWords.of(ahead), DurationWords.of(clock.maxDrift())));
    }
    return List.copyOf(all);
  }

  private Optional<String> current() {
    return warning
        .filter(last -> System.nanoTime() - last.nanos < WARNING_LIFETIME.toNanos())
        .map(RepeatedWarning::problem);
  }
}
