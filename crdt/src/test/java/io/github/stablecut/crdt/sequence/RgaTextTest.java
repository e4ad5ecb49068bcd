package io.github.stablecut.crdt.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.Reference;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.internal.sequence.Dots;
import io.github.stablecut.crdt.internal.sequence.Elements;
import io.github.stablecut.crdt.internal.sequence.Run;
import io.github.stablecut.crdt.internal.sequence.Run.Visible;
import io.github.stablecut.crdt.internal.sequence.RunTree;
import io.github.stablecut.crdt.sequence.Rga.Deletion;
import io.github.stablecut.crdt.sequence.Rga.Effect;
import io.github.stablecut.crdt.sequence.Rga.Insertion;
import io.github.stablecut.crdt.sequence.Rga.Operation;
import io.github.stablecut.crdt.sequence.Rga.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class RgaTextTest {
  private static final RgaText TEXT = RgaText.TYPE;
  private static final long STEP = 1024;

  private static State<String> empty() {
    return TEXT.initial();
  }

  private static Effect<String> effect(State<String> state, Operation<String> operation) {
    OperationContext context = new OperationContext(0, VectorClock.ZERO, new SelfDots());
    return TEXT.downstream(operation, state, context);
  }

  private static State<String> apply(
      State<String> state, Effect<String> effect, int dataCentre, long time) {
    EffectOrigin origin = new EffectOrigin(dataCentre, time * STEP, VectorClock.ZERO);
    return TEXT.apply(state, effect, origin);
  }

  /** The state after a transaction of one operation. */
  private static State<String> after(
      State<String> state, Operation<String> operation, int dataCentre, long time) {
    return apply(state, effect(state, operation), dataCentre, time);
  }

  private static State<String> text(String value) {
    return after(empty(), RgaText.insert(0, value), 0, 1);
  }

  private static String read(State<String> state) {
    return TEXT.value(state, VectorClock.ZERO).toString();
  }

  private static State<String> decoded(State<String> state) {
    return CrdtCodec.decodeState(TEXT, CrdtCodec.encodeState(TEXT, state));
  }

  private static VectorClock vector(long... times) {
    long[] entries = times.clone();
    for (int i = 0; i < entries.length; i++) {
      entries[i] *= STEP;
    }
    return VectorClock.ofEntries(entries);
  }

  private static Dot dot(int dataCentre, long time) {
    return new Dot(dataCentre, time * STEP, 0);
  }

  @Test
  void insertsAndDeletesByPosition() {
    State<String> state = text("Helo world");

    state = after(state, RgaText.insert(3, "l"), 0, 2);
    state = after(state, Rga.delete(5, 6), 0, 3);

    assertThat(read(state)).isEqualTo("Hello");
    assertThat(state.size()).isEqualTo(5);
  }

  @Test
  void countsCodePoints() {
    State<String> state = text("a😀b");

    state = after(state, RgaText.insert(2, "😎"), 0, 2);
    state = after(state, Rga.delete(1, 1), 0, 3);

    assertThat(read(state)).isEqualTo("a😎b");
    assertThat(state.size()).isEqualTo(3);
  }

  @Test
  void refusesMissingPositions() {
    State<String> state = text("abc");

    assertThatThrownBy(() -> effect(state, RgaText.insert(4, "d")))
        .isInstanceOf(OperationRefusedException.class)
        .hasMessage("text of 3 elements: position 4 is beyond the end");
    assertThatThrownBy(() -> effect(state, Rga.delete(2, 2)))
        .isInstanceOf(OperationRefusedException.class)
        .hasMessage("text of 3 elements: can't delete 2 from position 2 on");
    assertThatThrownBy(() -> effect(state, Rga.delete(Integer.MAX_VALUE, Integer.MAX_VALUE)))
        .isInstanceOf(OperationRefusedException.class);
    assertThatThrownBy(() -> RgaText.insert(-1, "d"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("position must not be negative: -1");
  }

  @Test
  void refusesHalvesOfSurrogatePairs() {
    assertThatThrownBy(() -> RgaText.insert(0, "a\ud83d"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("unpaired surrogate at index 1");
  }

  @Test
  void anInsertionOfNothingDoesNothing() {
    State<String> state = text("abc");

    State<String> same = after(after(state, RgaText.insert(1, ""), 0, 2), Rga.delete(3, 0), 0, 3);

    assertThat(same).isEqualTo(state);
  }

  @Test
  void putsTheLaterOfConcurrentInsertionsNearerAndKeepsEachTogether() {
    State<String> base = text("<>");
    Effect<String> ann = effect(base, RgaText.insert(1, "ann"));
    Effect<String> bob = effect(base, RgaText.insert(1, "bob"));

    State<String> annFirst = apply(apply(base, ann, 0, 2), bob, 1, 3);
    State<String> bobFirst = apply(apply(base, bob, 1, 3), ann, 0, 2);

    assertThat(read(annFirst)).isEqualTo("<annbob>");
    assertThat(bobFirst).isEqualTo(annFirst);
  }

  @Test
  void keepsForwardTypingTogetherAcrossTransactions() {
    State<String> base = text("<>");
    State<String> ann = base;
    State<String> bob = base;
    State<String> both = base;
    for (int i = 0; i < 5; i++) {
      Effect<String> byAnn = effect(ann, RgaText.insert(1 + i, "ann!!".substring(i, i + 1)));
      Effect<String> byBob = effect(bob, RgaText.insert(1 + i, "bobby".substring(i, i + 1)));
      ann = apply(ann, byAnn, 0, 2 + 2 * i);
      bob = apply(bob, byBob, 1, 3 + 2 * i);
      both = apply(apply(both, byAnn, 0, 2 + 2 * i), byBob, 1, 3 + 2 * i);
    }

    assertThat(read(both)).isEqualTo("<ann!!bobby>");
  }

  /**
   * Each inserts that many letters at the same position, forwards, backwards or in random order.
   */
  @Property(tries = 300)
  void keepsConcurrentTypingAtOnePositionApart(@ForAll long seed) {
    Random random = new Random(seed);
    State<String> base = text(random.nextBoolean() ? "<>" : "");
    int place = read(base).length() / 2;
    List<State<String>> sites = new ArrayList<>(List.of(base, base));
    List<List<Effect<String>>> effects = List.of(new ArrayList<>(), new ArrayList<>());
    int[] habits = {random.nextInt(3), random.nextInt(3)};
    int letters = 8;
    for (int i = 0; i < letters; i++) {
      for (int site = 0; site < 2; site++) {
        int at =
            switch (habits[site]) {
              case 0 -> i;
              case 1 -> 0;
              default -> random.nextInt(i + 1);
            };
        State<String> state = sites.get(site);
        Effect<String> letter = effect(state, RgaText.insert(place + at, site == 0 ? "a" : "B"));
        effects.get(site).add(letter);
        sites.set(site, apply(state, letter, site, 2 + 2 * i + site));
      }
    }
    for (int i = 0; i < letters; i++) {
      sites.set(0, apply(sites.get(0), effects.get(1).get(i), 1, 3 + 2 * i));
      sites.set(1, apply(sites.get(1), effects.get(0).get(i), 0, 2 + 2 * i));
    }

    assertThat(sites.get(1)).isEqualTo(sites.get(0));
    assertThat(read(sites.get(0))).containsAnyOf("aaaaaaaaBBBBBBBB", "BBBBBBBBaaaaaaaa");
  }

  @Test
  void goesToTheRightOfAllYoungerSiblings() {
    Effect<String> old = effect(empty(), RgaText.insert(0, "old "));
    Effect<String> older = effect(empty(), RgaText.insert(0, "older "));
    Effect<String> middle = effect(empty(), RgaText.insert(0, " middle "));
    State<String> state = empty();
    for (int i = 0; i < 2_000; i++) {
      state = after(state, RgaText.insert(0, "y"), 0, 10 + i);
    }

    state = apply(state, older, 1, 8);
    state = apply(state, old, 1, 9);
    state = apply(state, middle, 2, 1_009);

    assertThat(read(state)).isEqualTo(" middle " + "y".repeat(2_000) + "old older ");
  }

  @Test
  void findsPositionsByDotInATextOfManyRuns() {
    State<String> state = empty();
    StringBuilder expected = new StringBuilder();
    Random random = new Random(7);
    for (int i = 0; i < 5_000; i++) {
      int position = random.nextInt(expected.length() + 1);
      state = after(state, RgaText.insert(position, "" + i % 10), i % 3, 10 + i);
      expected.insert(position, i % 10);
    }

    assertThat(read(state)).isEqualTo(expected.toString());
  }

  /** As when a base is read that has the second, but not the first. */
  @Test
  void keepsInsertionsOfOneDataCentreInBetweenApart() {
    State<String> base = text("<>");
    State<String> seen = after(base, RgaText.insert(1, "a"), 1, 4);
    Effect<String> first = effect(seen, RgaText.insert(0, "b"));
    Effect<String> second = effect(seen, RgaText.insert(2, "c"));

    State<String> inOrder = apply(apply(seen, first, 1, 5), second, 1, 6);
    State<String> secondFirst = apply(apply(seen, second, 1, 6), first, 1, 5);

    assertThat(read(inOrder)).isEqualTo("b<ac>");
    assertThat(secondFirst).isEqualTo(inOrder);
    assertThat(after(secondFirst, Rga.delete(3, 1), 1, 7))
        .isEqualTo(after(inOrder, Rga.delete(3, 1), 1, 7));
  }

  @Test
  void keepsConcurrentInsertionsIntoADeletedRange() {
    State<String> base = text("one two three");
    Effect<String> deletion = effect(base, Rga.delete(3, 10));
    Effect<String> insertion = effect(base, RgaText.insert(7, "!"));

    State<String> deletedFirst = apply(apply(base, deletion, 0, 2), insertion, 1, 2);
    State<String> insertedFirst = apply(apply(base, insertion, 1, 2), deletion, 0, 2);

    assertThat(read(deletedFirst)).isEqualTo("one!");
    assertThat(insertedFirst).isEqualTo(deletedFirst);
  }

  @Test
  void deletesATwiceDeletedElementOnce() {
    State<String> base = text("abcd");
    Effect<String> left = effect(base, Rga.delete(0, 3));
    Effect<String> right = effect(base, Rga.delete(1, 3));

    State<String> leftFirst = apply(apply(base, left, 0, 2), right, 1, 3);
    State<String> rightFirst = apply(apply(base, right, 1, 3), left, 0, 2);

    assertThat(read(leftFirst)).isEmpty();
    assertThat(rightFirst).isEqualTo(leftFirst);
  }

  @Test
  void resetsSeenElementsAndKeepsConcurrentOnes() {
    State<String> base = text("seen");
    Effect<String> reset = effect(base, Rga.reset());
    Effect<String> insertion = effect(base, RgaText.insert(2, "kept"));

    assertThat(read(apply(apply(base, reset, 0, 2), insertion, 1, 2))).isEqualTo("kept");
    assertThat(read(apply(apply(base, insertion, 1, 2), reset, 0, 2))).isEqualTo("kept");
  }

  @Test
  void showsAnOpenTransactionItsOwnEdits() {
    State<String> base = text("ac");
    EffectOrigin open = EffectOrigin.uncommitted(VectorClock.ZERO);
    OperationContext context = new OperationContext(0, VectorClock.ZERO, new SelfDots());

    Effect<String> first = TEXT.downstream(RgaText.insert(1, "bxx"), base, context);
    State<String> own = TEXT.apply(base, first, open);
    Effect<String> second = TEXT.downstream(Rga.delete(2, 2), own, context);
    own = TEXT.apply(own, second, open);
    Effect<String> third = TEXT.downstream(RgaText.insert(2, "!"), own, context);
    own = TEXT.apply(own, third, open);
    State<String> committed = apply(apply(apply(base, first, 0, 2), second, 0, 2), third, 0, 2);

    assertThat(read(own)).isEqualTo("ab!c");
    assertThat(read(committed)).isEqualTo("ab!c");
  }

  /** Protocol scenario 43; the dots are those of the explanation in {@code StableTombstones}. */
  @Test
  void keepsAStableTombstoneWhileAChildOfItIsUnstable() {
    State<String> state = after(empty(), RgaText.insert(0, "p"), 0, 1);
    State<String> seenByBob = after(state, RgaText.insert(1, "t"), 0, 5);
    Effect<String> late = effect(state, RgaText.insert(1, "8"));
    Effect<String> child = effect(seenByBob, RgaText.insert(2, "9"));
    state = after(seenByBob, Rga.delete(1, 1), 0, 6);
    state = apply(state, child, 1, 9);

    State<String> pruned = TEXT.prune(state, vector(6, 8));
    State<String> naive = stateWithoutTombstones(state);

    assertThat(read(apply(state, late, 2, 8))).isEqualTo("p89");
    assertThat(read(apply(pruned, late, 2, 8))).isEqualTo("p89");
    assertThat(read(apply(naive, late, 2, 8))).isEqualTo("p98");
  }

  private static State<String> stateWithoutTombstones(State<String> state) {
    List<Run<String>> visible =
        state.elements().longestRuns().stream().filter(Visible.class::isInstance).toList();
    return new State<>(new Elements<>(RgaText.CONTENT, RunTree.of(visible)));
  }

  @Test
  void dropsATombstoneOnceItsChildrenAreStableToo() {
    State<String> state = text("pt");
    state = after(state, RgaText.insert(2, "c"), 1, 2);
    state = after(state, Rga.delete(1, 1), 0, 3);

    assertThat(TEXT.prune(state, vector(2, 2)).elements().longestRuns()).hasSize(3);
    assertThat(TEXT.prune(state, vector(3, 1)).elements().longestRuns()).hasSize(3);
    assertThat(TEXT.prune(state, vector(3, 2)).elements().longestRuns()).hasSize(2);
  }

  @Test
  void equalsTheInitialStateAfterAStableReset() {
    State<String> state = after(text("some text"), Rga.reset(), 0, 2);

    assertThat(TEXT.prune(state, vector(2))).isEqualTo(empty());
  }

  @Test
  void keepsTypingInOneRunThoughEachKeystrokeIsATransaction() {
    State<String> state = empty();
    for (int i = 0; i < Run.MAX_ELEMENTS; i++) {
      state = after(state, RgaText.insert(i, "x"), 0, 10 + i + i / 100);
    }

    assertThat(state.elements().tree().runs()).hasSize(1);
  }

  @Test
  void splitsLongRunsSoThatAKeystrokeCopiesLittle() {
    State<String> state = text("x".repeat(1_000));
    for (int i = 0; i < 1_000; i++) {
      state = after(state, RgaText.insert(1_000 + i, "y"), 0, 10 + i * i);
    }

    State<String> erased = after(state, Rga.delete(500, 1_000), 0, 2_000_000);

    for (State<String> any : List.of(state, decoded(state), erased, decoded(erased))) {
      assertThat(any.elements().tree().runs())
          .hasSizeBetween(12, 40)
          .allMatch(run -> run.visibleSize() <= Run.MAX_ELEMENTS)
          .allMatch(run -> run.ids().spanCount() <= Run.MAX_SPANS);
    }
  }

  @Test
  void keepsBackspacedElementsInOneRun() {
    State<String> state = empty();
    for (int i = 0; i < 100; i++) {
      state = after(state, RgaText.insert(i, "x"), 0, 10 + i);
    }
    for (int i = 99; i >= 50; i--) {
      state = after(state, Rga.delete(i, 1), 0, 300 - i);
    }

    assertThat(state.elements().tree().runs()).hasSize(2);
  }

  @Test
  void joinsTheRunsAroundDroppedTombstones() {
    State<String> state = after(text("left right"), Rga.delete(4, 1), 0, 2);

    State<String> pruned = TEXT.prune(state, vector(2));

    assertThat(state.elements().tree().runs()).hasSize(3);
    assertThat(pruned.elements().tree().runs()).hasSize(1);
  }

  @Test
  void insertsElementsAfterAnUnknownOneAtTheBeginning() {
    Effect<String> stray = new Insertion<>(Reference.after(dot(7, 7)), dot(0, 9), "stray ");

    assertThat(read(apply(text("text"), stray, 0, 9))).isEqualTo("stray text");

    Effect<String> near = new Insertion<>(Reference.after(dot(0, 1).plus(9)), dot(0, 9), "near ");

    assertThat(read(apply(text("text"), near, 0, 9))).isEqualTo("near text");
  }

  @Test
  void ignoresARepeatedInsertionAndADeletionOfTheUnknown() {
    State<String> state = text("text");
    Effect<String> again = effect(empty(), RgaText.insert(0, "x"));
    Effect<String> unknown =
        new Deletion<>(
            List.of(
                Dots.following(dot(3, 3), Integer.MAX_VALUE),
                Dots.following(dot(0, 1).plus(4), Integer.MAX_VALUE - 4),
                Dots.repeated(dot(0, 2), 9)));

    assertThat(apply(state, again, 0, 1)).isEqualTo(state);
    assertThat(apply(state, unknown, 0, 3)).isEqualTo(state);
  }

  @Test
  void deletesThePresentOnesOfPartlyUnknownDots() {
    State<String> state = after(text("abcdef"), Rga.delete(2, 2), 0, 2);
    state = TEXT.prune(state, vector(2));
    Effect<String> all = new Deletion<>(List.of(Dots.following(dot(0, 1).plus(1), 1_000_000)));

    assertThat(read(apply(state, all, 1, 3))).isEqualTo("a");
  }

  @Test
  void copiesFewNodesForAKeystrokeInALargeText() {
    State<String> state = text("lorem ipsum ".repeat(10_000));

    State<String> changed = after(state, RgaText.insert(60_000, "x"), 0, 2);

    List<Run<String>> before = state.elements().tree().runs();
    assertThat(changed.elements().tree().runs())
        .filteredOn(run -> before.stream().noneMatch(other -> other == run))
        .hasSize(3);
  }
}
