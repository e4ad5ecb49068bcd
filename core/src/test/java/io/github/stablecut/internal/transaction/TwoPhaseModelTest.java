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
 * at most twice, and messages that may be lost, late and repeated forever. The test visits all
 * reachable states, and each rule is necessary: without it a wrong state is reachable.
 */
class TwoPhaseModelTest {
  private static final int MAX_CRASHES = 2;

  /** A rule to omit. */
  enum Mutant {
    NO_EPOCH,
    PREPARED_TOLD_EARLY,
    COMMIT_TOLD_EARLY,
    QUERY_IGNORES_DECIDING,
    NO_MEMORY_OF_OUTCOMES
  }

  private enum SentMessage {
    PREPARE,
    PREPARED,
    DECIDE,
    COMMIT,
    ABORT,
    QUERY
  }

  /** A's state of the transaction. */
  private enum Phase {
    ACTIVE,
    GIVEN_UP,
    FORGOTTEN,
    DECIDING,
    DECIDED
  }

  /** The progress of B's part. */
  private enum PartState {
    NONE,
    WRITING,
    PREPARED,
    COMMITTED,
    ABORTED
  }

  /**
   * A state of both, with all messages sent so far.
   *
   * @param epoch how often A has crashed since the transaction began
   * @param applied how often B has applied the effects
   * @param isAcknowledged whether the driver has learned of a commit
   * @param wasAborted whether B has ever aborted
   */
  private record State(
      int epoch,
      Phase phase,
      PartState part,
      int applied,
      boolean isAcknowledged,
      boolean wasAborted,
      Set<SentMessage> sent,
      int crashesOfB) {
    State with(Phase newPhase) {
      return new State(
          epoch, newPhase, part, applied, isAcknowledged, wasAborted, sent, crashesOfB);
    }

    State with(PartState newPart) {
      return new State(
          epoch,
          phase,
          newPart,
          applied + (newPart == PartState.COMMITTED ? 1 : 0),
          isAcknowledged,
          wasAborted || newPart == PartState.ABORTED,
          sent,
          crashesOfB);
    }

    State sending(SentMessage message) {
      Set<SentMessage> more = EnumSet.of(message);
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

    State crashedB(PartState left) {
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
      if (isAcknowledged && part == PartState.NONE) {
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
        new State(
            0, Phase.ACTIVE, PartState.NONE, 0, false, false, EnumSet.of(SentMessage.PREPARE), 0);
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
    for (SentMessage message : state.sent) {
      switch (message) {
        case PREPARE -> prepare(state, without, reach);
        case PREPARED -> reach.accept(state.sending(SentMessage.DECIDE));
        case DECIDE -> decide(state, without, reach);
        case COMMIT -> {
          if (state.part == PartState.PREPARED) {
            reach.accept(state.with(PartState.COMMITTED));
          }
        }
        case ABORT -> {
          if (state.part == PartState.WRITING || state.part == PartState.PREPARED) {
            reach.accept(state.with(PartState.ABORTED));
          }
        }
        case QUERY -> query(state, without, reach);
      }
    }
    if (state.phase == Phase.DECIDING) {
      reach.accept(state.with(Phase.DECIDED).acknowledged().sending(SentMessage.COMMIT));
    }
    if (state.part == PartState.WRITING) {
      reach.accept(state.with(PartState.PREPARED).sending(SentMessage.PREPARED));
    }
    if (state.part == PartState.PREPARED) {
      reach.accept(state.sending(SentMessage.QUERY));
    }
    if (state.phase == Phase.ACTIVE) {
      reach.accept(state.with(Phase.GIVEN_UP).sending(SentMessage.ABORT));
    }
    if (state.part == PartState.ABORTED) {
      reach.accept(state.with(PartState.NONE));
    }
    if (state.epoch < MAX_CRASHES) {
      reach.accept(state.crashedA());
    }
    if (state.crashesOfB < MAX_CRASHES) {
      reach.accept(state.crashedB(state.part == PartState.WRITING ? PartState.NONE : state.part));
    }
  }

  private static void prepare(State state, Set<Mutant> without, Consumer<State> reach) {
    boolean isForgotten =
        state.part == PartState.COMMITTED && without.contains(Mutant.NO_MEMORY_OF_OUTCOMES);
    if (state.part == PartState.NONE || isForgotten) {
      State writing = state.with(PartState.WRITING);
      reach.accept(
          without.contains(Mutant.PREPARED_TOLD_EARLY)
              ? writing.sending(SentMessage.PREPARED)
              : writing);
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
              ? deciding.acknowledged().sending(SentMessage.COMMIT)
              : deciding);
    }
  }

  private static void query(State state, Set<Mutant> without, Consumer<State> reach) {
    switch (state.phase) {
      case DECIDED -> reach.accept(state.sending(SentMessage.COMMIT));
      case DECIDING -> {
        if (without.contains(Mutant.QUERY_IGNORES_DECIDING)) {
          reach.accept(state.sending(SentMessage.ABORT));
        }
      }
      case ACTIVE -> reach.accept(state.with(Phase.GIVEN_UP).sending(SentMessage.ABORT));
      case GIVEN_UP, FORGOTTEN -> reach.accept(state.sending(SentMessage.ABORT));
    }
  }
}
