package io.github.stablecut.internal.transaction;

import static java.util.stream.Collectors.toUnmodifiableSet;

import io.github.stablecut.internal.transaction.SimulatedTransaction.Outcome;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Checks the types of names that had none at first: committed transactions give a name exactly one
 * type; a name without one accepts any.
 */
final class NamesCheck {
  /**
   * A name at the end.
   *
   * @param kind the kind that was given to it then
   * @param isAccepted whether it accepted the kind
   */
  record LastAssignment(int name, int kind, boolean isAccepted) {}

  private NamesCheck() {}

  /**
   * Returns the violation; empty if there is none.
   *
   * @param committed the transactions that exist in the end
   */
  static Optional<String> violation(
      Collection<SimulatedTransaction> history,
      Collection<SimulatedTransaction> committed,
      List<LastAssignment> last) {
    for (LastAssignment gift : last) {
      Set<Integer> kinds = kinds(committed, gift.name);
      if (kinds.size() > 1) {
        return Optional.of("of several types: name %d, kinds %s".formatted(gift.name, kinds));
      }
      if (gift.isAccepted != (kinds.isEmpty() || kinds.contains(gift.kind))) {
        return Optional.of(
            "not of the type that it was given: %s, kinds %s".formatted(gift, kinds));
      }
    }
    return history.stream()
        .filter(one -> one.outcome == Outcome.FAILED && one.isRefusedByType)
        .filter(one -> !isRight(one, committed))
        .findFirst()
        .map(one -> "refused for a type that nothing has: " + one);
  }

  private static Set<Integer> kinds(Collection<SimulatedTransaction> committed, int name) {
    return committed.stream()
        .filter(one -> one.names.containsKey(name))
        .map(one -> one.names.get(name))
        .collect(toUnmodifiableSet());
  }

  /** Whether a name that refused a transaction has another type. */
  private static boolean isRight(
      SimulatedTransaction refused, Collection<SimulatedTransaction> committed) {
    return refused.names.entrySet().stream()
        .anyMatch(
            given -> {
              Set<Integer> kinds = kinds(committed, given.getKey());
              return !kinds.isEmpty() && !kinds.contains(given.getValue());
            });
  }
}
