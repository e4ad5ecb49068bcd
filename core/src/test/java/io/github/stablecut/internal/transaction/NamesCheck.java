package io.github.stablecut.internal.transaction;

import static java.util.stream.Collectors.toUnmodifiableSet;

import io.github.stablecut.internal.transaction.SimulatedTransaction.Outcome;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Judges the types of what had none at first: a name has the type of what committed transactions
 * have given it, of one kind, and if none has, any kind may be given to it.
 */
final class NamesCheck {
  /**
   * A name when all was over.
   *
   * @param kind of what it was given then
   * @param isAccepted whether it took that
   */
  record LastGift(int name, int kind, boolean isAccepted) {}

  private NamesCheck() {}

  /**
   * What is wrong; empty if nothing is.
   *
   * @param committed the transactions that are there in the end
   */
  static Optional<String> violation(
      Collection<SimulatedTransaction> history,
      Collection<SimulatedTransaction> committed,
      List<LastGift> last) {
    for (LastGift gift : last) {
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

  /** Whether a name that a transaction was refused has another type. */
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
