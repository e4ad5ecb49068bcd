package io.github.stablecut.crdt.sequence;

import static io.github.stablecut.crdt.BrokenVariantsProperties.assertCaught;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Editors;
import io.github.stablecut.crdt.Editors.Habit;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Variant;
import io.github.stablecut.crdt.internal.sequence.Elements;
import io.github.stablecut.crdt.internal.sequence.Run;
import io.github.stablecut.crdt.internal.sequence.Run.Deleted;
import io.github.stablecut.crdt.internal.sequence.RunTree;
import io.github.stablecut.crdt.sequence.Rga.Deletion;
import io.github.stablecut.crdt.sequence.Rga.Effect;
import io.github.stablecut.crdt.sequence.Rga.Operation;
import io.github.stablecut.crdt.sequence.Rga.State;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Example;

/** Texts with a common fault: the harness detects each. */
class RgaBrokenVariantsProperties {
  private static final RgaText TEXT = RgaText.TYPE;
  private static final int RUNS = 3;

  private abstract static class BrokenText
      extends Variant<State<String>, Operation<String>, Effect<String>, Text> {
    BrokenText() {
      super(TEXT);
    }
  }

  /** Fails unless the ordinary number of histories catches a text, whatever the seeds. */
  private static void assertCaughtByEditors(BrokenText broken) {
    for (long begin = 0; begin < RUNS * RgaProperties.TRIES; begin += RgaProperties.TRIES) {
      long seeds = begin;
      assertThatThrownBy(
              () -> {
                for (long seed = seeds; seed < seeds + RgaProperties.TRIES; seed++) {
                  new Editors(broken, Habit.MEET, seed)
                      .run(RgaProperties.STEPS, RgaProperties::checkValue);
                }
              })
          .isInstanceOf(AssertionError.class);
    }
  }

  @Example
  void letsASoundTextPass() {
    assertThatThrownBy(() -> assertCaughtByEditors(new BrokenText() {}))
        .hasMessageContaining("Expecting code to raise");
  }

  @Example
  void catchesTombstonesDroppedBeforeAnUnstableChild() {
    assertCaughtByEditors(
        new BrokenText() {
          @Override
          public State<String> prune(State<String> state, VectorClock frontier) {
            List<Run<String>> rest = new ArrayList<>();
            for (Run<String> run : state.elements().longestRuns()) {
              for (int i = 0; i < run.size(); i++) {
                boolean goes =
                    run instanceof Deleted<String> deleted
                        && deleted.by().get(i).isAtOrBefore(frontier);
                if (!goes) {
                  rest.add(run.part(RgaText.CONTENT, i, i + 1));
                }
              }
            }
            return stateOf(rest);
          }
        });
  }

  @Example
  void catchesTombstonesDroppedBeforeTheirDeletionIsStable() {
    assertCaughtByEditors(
        new BrokenText() {
          @Override
          public State<String> prune(State<String> state, VectorClock frontier) {
            List<Run<String>> rest = new ArrayList<>(state.elements().longestRuns());
            rest.removeIf(
                run ->
                    run instanceof Deleted<String>
                        && run.ids().countAtOrBefore(frontier) == run.size());
            return stateOf(rest);
          }
        });
  }

  private static State<String> stateOf(List<Run<String>> runs) {
    return new State<>(new Elements<>(RgaText.CONTENT, RunTree.joining(RgaText.CONTENT, runs)));
  }

  @Example
  void catchesADeletionThatTakesConcurrentInsertions() {
    assertCaught(
        new RgaTextProperties(),
        new BrokenText() {
          @Override
          public State<String> apply(
              State<String> state, Effect<String> effect, EffectOrigin origin) {
            State<String> after = TEXT.apply(state, effect, origin);
            if (!(effect instanceof Deletion<String>)) {
              return after;
            }
            String before = TEXT.value(state, VectorClock.ZERO).toString();
            String rest = TEXT.value(after, VectorClock.ZERO).toString();
            int from = commonPrefix(before, rest);
            int to = state.size() - commonPrefix(reversed(before), reversed(rest));
            return from >= to
                ? after
                : TEXT.apply(after, new Deletion<>(state.elements().idsAt(from, to)), origin);
          }
        });
  }

  private static String reversed(String text) {
    return new StringBuilder(text).reverse().toString();
  }

  /** In code points. */
  private static int commonPrefix(String a, String b) {
    int[] left = a.codePoints().toArray();
    int[] right = b.codePoints().toArray();
    int length = 0;
    while (length < left.length && length < right.length && left[length] == right[length]) {
      length++;
    }
    return length;
  }

  @Example
  void catchesUnresolvedDotsOfTheOwnTransaction() {
    assertCaught(
        new RgaTextProperties(),
        new BrokenText() {
          @Override
          public State<String> apply(
              State<String> state, Effect<String> effect, EffectOrigin origin) {
            return TEXT.apply(state, effect, EffectOrigin.uncommitted(origin.pruneFrontier()));
          }
        });
  }
}
