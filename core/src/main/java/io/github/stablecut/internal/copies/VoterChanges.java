package io.github.stablecut.internal.copies;

import java.util.List;
import java.util.Optional;

/**
 * How a leader that serves changes the voters, one at a time. A node that came back with an empty
 * directory takes its own place again: its earlier copy is gone for ever, so that is removed, and
 * in the next epoch the new one is added. Both only once the new one has what is committed, so that
 * there are fewer voters for a moment only. Stateless.
 *
 * <p>Removing comes first: a node whose directory is lost again meanwhile costs no majority.
 */
final class VoterChanges {
  private final String self;

  /** So many voters there are to be. */
  private final int wanted;

  VoterChanges(String self, int wanted) {
    this.self = self;
    this.wanted = wanted;
  }

  /** The next layout, if there is something to change. */
  Optional<Layout> next(Layout layout, Shipping shipping) {
    return shipping.learners().stream()
        .flatMap(learner -> next(layout, learner, shipping).stream())
        .findFirst();
  }

  private Optional<Layout> next(Layout layout, String learner, Shipping shipping) {
    List<String> earlier =
        layout.voters().stream()
            .filter(voter -> Layout.nodeOf(voter).equals(Layout.nodeOf(learner)))
            .toList();
    if (earlier.isEmpty()) {
      return layout.voters().size() < wanted ? Optional.of(layout.with(learner)) : Optional.empty();
    }
    return earlier.stream()
        .filter(voter -> !voter.equals(self) && shipping.isSilent(voter))
        .map(layout::without)
        .findFirst();
  }
}
