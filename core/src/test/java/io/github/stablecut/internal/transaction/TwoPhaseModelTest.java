package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The rules of the two phases without the code: one coordinator A, one participant B, each crashing
 * twice at most, messages that may be lost, late and repeated for ever. All states that can be
 * reached are visited, and each rule is needed: without it a state is reached that must not be.
 */
class TwoPhaseModelTest {
  private static final int MAX_CRASHES = 2;

  /** A rule that is left out. */
  enum Mutant {
    NO_EPOCH,
    PREPARED_TOLD_EARLY,
    COMMIT_TOLD_EARLY,
    QUERY_IGNORES_DECIDING,
    NO_MEMORY_OF_OUTCOMES
  }

  private enum Sent {
    PREPARE,
    PREPARED,
    DECIDE,
    COMMIT,
    ABORT,
    QUERY
  }

  /** What A knows of the transaction. */
  private enum Phase {
    ACTIVE,
    GIVEN_UP,
    FORGOTTEN,
    DECIDING,
    DECIDED
  }

  /** How far B's part is. */
  private enum Part {
    NONE,
    WRITING,
    PREPARED,
    COMMITTED,
    ABORTED
  }

  /**
   * A state of both, and what was ever told.
   *
   * @param epoch how often A has crashed since the transaction began
   * @param applied how often B has applied the effects
   * @param isAcknowledged whether the driver was told of a commit
   * @param wasAborted whether B has ever aborted
   */
  private record State(
      int epoch,
      Phase phase,
      Part part,
      int applied,
      boolean isAcknowledged,
      boolean wasAborted,
      Set<Sent> sent,
      int crashesOfB) {
    State with(Phase newPhase) {
      return new State(
          epoch, newPhase, part, applied, isAcknowledged, wasAborted, sent, crashesOfB);
    }

    State with(Part newPart) {
      return new State(
          epoch,
          phase,
          newPart,
          applied + (newPart == Part.COMMITTED ? 1 : 0),
          isAcknowledged,
          wasAborted || newPart == Part.ABORTED,
          sent,
          crashesOfB);
    }

    State sending(Sent message) {
      Set<Sent> more = EnumSet.of(message);
      more.addAll(sent);
      return new State(epoch, phase, part, applied, isAcknowledged, wasAborted, more, crashesOfB);
    }

    State acknowledged() {
      return new State(epoch, phase, part, applied, true, wasAborted, sent, crashesOfB);
    }

    State crashedA() {
      return new State(
          epoch + 1,
          phase == Phase.DECIDED ? phase : Phase.FORGOTTEN,
          part,
          applied,
          isAcknowledged,
          wasAborted,
          sent,
          crashesOfB);
    }

    State crashedB(Part left) {
      return new State(
          epoch, phase, left, applied, isAcknowledged, wasAborted, sent, crashesOfB + 1);
    }

    Optional<String> violation() {
      if (isAcknowledged && phase != Phase.DECIDED) {
        return Optional.of("an acknowledged commit is lost");
      }
      if (isAcknowledged && wasAborted) {
        return Optional.of("A has committed, B has aborted");
      }
      if (applied > 0 && wasAborted) {
        return Optional.of("B has committed and aborted");
      }
      if (applied > 0 && phase != Phase.DECIDED) {
        return Optional.of("B has committed what is not decided durably");
      }
      if (applied > 1) {
        return Optional.of("B has applied twice");
      }
      if (isAcknowledged && part == Part.NONE) {
        return Optional.of("A has committed, and B has lost its part");
      }
      return Optional.empty();
    }
  }

  @Test
  void noStateIsWrong() {
    assertThat(explore(EnumSet.noneOf(Mutant.class))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void everyRuleIsNeeded(Mutant mutant) {
    assertThat(explore(EnumSet.of(mutant))).isPresent();
  }

  private static Optional<String> explore(Set<Mutant> without) {
    State first =
        new State(0, Phase.ACTIVE, Part.NONE, 0, false, false, EnumSet.of(Sent.PREPARE), 0);
    Set<State> seen = new HashSet<>(Set.of(first));
    Deque<State> next = new ArrayDeque<>(Set.of(first));
    while (!next.isEmpty()) {
      State state = next.remove();
      Optional<String> violation = state.violation();
      if (violation.isPresent()) {
        return violation;
      }
      step(
          state,
          without,
          reached -> {
            if (seen.add(reached)) {
              next.add(reached);
            }
          });
    }
    return Optional.empty();
  }

  private static void step(State state, Set<Mutant> without, Consumer<State> reach) {
    for (Sent message : state.sent) {
      switch (message) {
        case PREPARE -> prepare(state, without, reach);
        case PREPARED -> reach.accept(state.sending(Sent.DECIDE));
        case DECIDE -> decide(state, without, reach);
        case COMMIT -> {
          if (state.part == Part.PREPARED) {
            reach.accept(state.with(Part.COMMITTED));
          }
        }
        case ABORT -> {
          if (state.part == Part.WRITING || state.part == Part.PREPARED) {
            reach.accept(state.with(Part.ABORTED));
          }
        }
        case QUERY -> query(state, without, reach);
      }
    }
    if (state.phase == Phase.DECIDING) {
      reach.accept(state.with(Phase.DECIDED).acknowledged().sending(Sent.COMMIT));
    }
    if (state.part == Part.WRITING) {
      reach.accept(state.with(Part.PREPARED).sending(Sent.PREPARED));
    }
    if (state.part == Part.PREPARED) {
      reach.accept(state.sending(Sent.QUERY));
    }
    if (state.phase == Phase.ACTIVE) {
      reach.accept(state.with(Phase.GIVEN_UP).sending(Sent.ABORT));
    }
    if (state.part == Part.ABORTED) {
      reach.accept(state.with(Part.NONE));
    }
    if (state.epoch < MAX_CRASHES) {
      reach.accept(state.crashedA());
    }
    if (state.crashesOfB < MAX_CRASHES) {
      reach.accept(state.crashedB(state.part == Part.WRITING ? Part.NONE : state.part));
    }
  }

  private static void prepare(State state, Set<Mutant> without, Consumer<State> reach) {
    boolean isForgotten =
        state.part == Part.COMMITTED && without.contains(Mutant.NO_MEMORY_OF_OUTCOMES);
    if (state.part == Part.NONE || isForgotten) {
      State writing = state.with(Part.WRITING);
      reach.accept(
          without.contains(Mutant.PREPARED_TOLD_EARLY) ? writing.sending(Sent.PREPARED) : writing);
    }
  }

  private static void decide(State state, Set<Mutant> without, Consumer<State> reach) {
    boolean isTaken =
        state.phase == Phase.ACTIVE
            || (state.phase == Phase.FORGOTTEN && without.contains(Mutant.NO_EPOCH));
    if (isTaken) {
      State deciding = state.with(Phase.DECIDING);
      reach.accept(
          without.contains(Mutant.COMMIT_TOLD_EARLY)
              ? deciding.acknowledged().sending(Sent.COMMIT)
              : deciding);
    }
  }

  private static void query(State state, Set<Mutant> without, Consumer<State> reach) {
    switch (state.phase) {
      case DECIDED -> reach.accept(state.sending(Sent.COMMIT));
      case DECIDING -> {
        if (without.contains(Mutant.QUERY_IGNORES_DECIDING)) {
          reach.accept(state.sending(Sent.ABORT));
        }
      }
      case ACTIVE -> reach.accept(state.with(Phase.GIVEN_UP).sending(Sent.ABORT));
      case GIVEN_UP, FORGOTTEN -> reach.accept(state.sending(Sent.ABORT));
    }
  }
}
