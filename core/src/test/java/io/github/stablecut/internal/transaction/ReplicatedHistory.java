package io.github.stablecut.internal.transaction;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * A history of a {@link Simulation} with replicas: nothing but this value determines what happens.
 * Immutable.
 *
 * @param seed of the order of everything
 * @param steps the number of steps before the faults end
 * @param without the names of the faults that it would have and lacks
 */
record ReplicatedHistory(long seed, int steps, Set<String> without) {
  private static final int STEPS = 800;

  private static final String TEST = "ReplicatedSimulationTest#anyHistoryIsRight";

  /** The most histories that are tried to find a smaller one. */
  private static final int SMALLER_ONES = 60;

  /** What happened in a history. */
  record Outcome(Simulation simulation, Optional<Throwable> violation) {}

  ReplicatedHistory(long seed) {
    this(seed, STEPS, Set.of());
  }

  /** The history that the system properties describe; empty if they name no seed. */
  static Optional<ReplicatedHistory> fromProperties() {
    Long seed = Long.getLong("simulation.seed");
    if (seed == null) {
      return Optional.empty();
    }
    String names = System.getProperty("simulation.without", "");
    return Optional.of(
        new ReplicatedHistory(
            seed,
            Integer.getInteger("simulation.steps", STEPS),
            names.isEmpty() ? Set.of() : Set.of(names.split(","))));
  }

  Outcome run() {
    Simulation simulation = new Simulation(seed, Simulation.Kind.REPLICATED, without);
    Optional<Throwable> violation;
    try {
      violation = simulation.run(steps).map(AssertionError::new);
    } catch (RuntimeException | AssertionError e) {
      violation = Optional.of(e);
    } finally {
      simulation.end();
    }
    return new Outcome(simulation, violation);
  }

  /**
   * Runs the history, which has to be right.
   *
   * @throws AssertionError with a smaller history that is not
   */
  @CanIgnoreReturnValue
  Simulation check() {
    Outcome outcome = run();
    if (outcome.violation.isPresent()) {
      ReplicatedHistory smaller = smallest(outcome);
      throw new AssertionError(
          "%s is not right, and neither is %s; to repeat it: mvn -pl core test -Dtest=%s %s"
              .formatted(this, smaller, TEST, smaller),
          outcome.violation.get());
    }
    return outcome.simulation;
  }

  /** A smaller wrong history than this one: of fewer steps, and with fewer kinds of faults. */
  private ReplicatedHistory smallest(Outcome outcome) {
    ReplicatedHistory smallest = this;
    int tries = SMALLER_ONES;
    boolean isSmaller = true;
    Set<String> names = outcome.simulation.replicated().faults().names();
    while (isSmaller && tries > 0) {
      isSmaller = false;
      for (ReplicatedHistory next : smallest.smaller(names)) {
        if (tries-- > 0 && next.run().violation.isPresent()) {
          smallest = next;
          isSmaller = true;
          break;
        }
      }
    }
    return smallest;
  }

  private List<ReplicatedHistory> smaller(Set<String> names) {
    List<ReplicatedHistory> smaller = new ArrayList<>();
    for (int part = 2; part <= 8 && part <= steps; part *= 2) {
      smaller.add(new ReplicatedHistory(seed, steps - steps / part, without));
    }
    for (String name : names) {
      if (!without.contains(name)) {
        Set<String> more = new TreeSet<>(without);
        more.add(name);
        smaller.add(new ReplicatedHistory(seed, steps, Collections.unmodifiableSet(more)));
      }
    }
    return smaller;
  }

  /**
   * Runs histories until one is wrong. {@link PatchedClasses} call it by its name.
   *
   * @return the number of histories and what was wrong; empty if all of them were right
   */
  static String firstWrong(long seed, int histories) {
    Random seeds = new Random(seed);
    for (int number = 1; number <= histories; number++) {
      ReplicatedHistory next = new ReplicatedHistory(seeds.nextLong());
      Optional<Throwable> violation = next.run().violation();
      if (violation.isPresent()) {
        return "%d %s %s".formatted(number, next, violation.get());
      }
    }
    return "";
  }

  /** The system properties that repeat it. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("-Dsimulation.seed=" + seed);
    if (steps != STEPS) {
      text.append(" -Dsimulation.steps=").append(steps);
    }
    if (!without.isEmpty()) {
      text.append(" -Dsimulation.without=").append(String.join(",", new TreeSet<>(without)));
    }
    return text.toString();
  }
}
