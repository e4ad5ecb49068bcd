package io.github.stablecut.crdt.internal.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.set.RemoveWinsSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** A reader's view of a large set with hidden elements equals a tree set. */
class SortedViewProperties {
  private static final RemoveWinsSet TYPE = RemoveWinsSet.TYPE;

  private RemoveWinsSet.State state = TYPE.initial();
  private final TreeSet<Bytes> model = new TreeSet<>();
  private long time = Timestamp.of(1_000, 0);

  private void execute(boolean adds, List<Bytes> elements) {
    VectorClock seen = VectorClock.of(time);
    RemoveWinsSet.Operation operation =
        adds ? new RemoveWinsSet.Add(elements) : new RemoveWinsSet.Remove(elements);
    OperationContext context = new OperationContext(0, seen, new SelfDots());
    RemoveWinsSet.Effect effect = TYPE.downstream(operation, state, context);
    state = TYPE.apply(state, effect, new EffectOrigin(0, ++time, seen));
    if (adds) {
      model.addAll(elements);
    } else {
      model.removeAll(elements);
    }
  }

  private static Bytes element(Random random, int bound) {
    return Bytes.utf8("%05d".formatted(random.nextInt(bound)));
  }

  @Property(tries = 30)
  void equalsTheModel(@ForAll long seed) {
    Random random = new Random(seed);
    int bound = 1 + random.nextInt(4_000);
    for (int i = 0; i < 1 + random.nextInt(60); i++) {
      // Whole ranges are hidden, too: nodes without any visible element.
      int from = random.nextInt(bound);
      int length = 1 + random.nextInt(200);
      execute(
          random.nextInt(5) > 1,
          random
              .ints(length, from, from + length)
              .distinct()
              .sorted()
              .mapToObj(number -> Bytes.utf8("%05d".formatted(number)))
              .toList());
    }

    NavigableSet<Bytes> view = TYPE.value(state, VectorClock.ZERO);
    assertSame(view, model, random, bound);
    assertSame(view.descendingSet(), model.descendingSet(), random, bound);
    for (int i = 0; i < 20; i++) {
      Bytes one = element(random, bound);
      Bytes other = element(random, bound);
      Bytes low = one.compareTo(other) <= 0 ? one : other;
      Bytes high = low.equals(one) ? other : one;
      boolean withLow = random.nextBoolean();
      boolean withHigh = random.nextBoolean();
      assertSame(
          view.subSet(low, withLow, high, withHigh),
          model.subSet(low, withLow, high, withHigh),
          random,
          bound);
      assertSame(
          view.tailSet(low, withLow).descendingSet(),
          model.tailSet(low, withLow).descendingSet(),
          random,
          bound);
      assertSame(
          view.descendingSet().headSet(low, withLow),
          model.descendingSet().headSet(low, withLow),
          random,
          bound);
    }
  }

  private static void assertSame(
      NavigableSet<Bytes> view, NavigableSet<Bytes> model, Random random, int bound) {
    assertThat(view.size()).isEqualTo(model.size());
    assertThat(view).containsExactlyElementsOf(model);
    for (int i = 0; i < 20; i++) {
      Bytes asked = element(random, bound);
      assertThat(view.contains(asked)).isEqualTo(model.contains(asked));
      assertThat(view.lower(asked)).isEqualTo(model.lower(asked));
      assertThat(view.floor(asked)).isEqualTo(model.floor(asked));
      assertThat(view.ceiling(asked)).isEqualTo(model.ceiling(asked));
      assertThat(view.higher(asked)).isEqualTo(model.higher(asked));
    }
  }
}
