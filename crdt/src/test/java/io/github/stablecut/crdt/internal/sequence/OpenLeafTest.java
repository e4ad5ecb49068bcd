package io.github.stablecut.crdt.internal.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.Reference;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.sequence.Rga;
import io.github.stablecut.crdt.sequence.Rga.State;
import io.github.stablecut.crdt.sequence.RgaText;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Edits next to the last one copy one leaf; deferred work happens on demand. */
class OpenLeafTest {
  private static final RgaText TEXT = RgaText.TYPE;

  /** Enough runs for several leaves. */
  private static final int RUNS = 3 * RunNode.MAX;

  private static final int MANY_RUNS = 5_000;

  private static final int KEYSTROKES = 300;

  private static State<String> inserted(
      State<String> state, Reference reference, int dataCentre, long time, String character) {
    EffectOrigin origin = new EffectOrigin(dataCentre, time, VectorClock.ZERO);
    return TEXT.apply(
        state, new Rga.Insertion<>(reference, new Dot(dataCentre, time, 0), character), origin);
  }

  private static State<String> edited(State<String> state, Rga.Operation<String> edit, long time) {
    OperationContext context = new OperationContext(0, VectorClock.of(time - 1), new SelfDots());
    return TEXT.apply(
        state, TEXT.downstream(edit, state, context), new EffectOrigin(0, time, VectorClock.ZERO));
  }

  /** Each character is a run of its own, as each was inserted before the next. */
  private static State<String> manyRuns() {
    State<String> state = TEXT.initial();
    for (int time = 1; time <= RUNS; time++) {
      state = edited(state, RgaText.insert(0, "x"), time);
    }
    return state;
  }

  @Test
  void elementsOlderThanTheirWholeLeafAreVisibleFromElsewhere() {
    Reference first = Reference.after(new Dot(0, 1, 0));
    State<String> state = inserted(TEXT.initial(), Reference.BEGINNING, 0, 1, "a");
    for (int time = 200; time < 200 + RUNS; time++) {
      state = inserted(state, first, 0, time, "x");
    }

    state = inserted(state, first, 1, 50, "b");
    state = inserted(state, first, 2, 60, "c");

    assertThat(TEXT.value(state, VectorClock.ZERO)).hasToString("a" + "x".repeat(RUNS) + "cb");
  }

  @Test
  void editsAtTheSamePositionCopyNothingAboveTheLeaf() {
    State<String> state = edited(manyRuns(), RgaText.insert(RUNS / 2, "y"), RUNS + 1);
    RunPath<String> path = state.elements().tree().beforeVisible(RUNS / 2).path();

    for (int i = 1; i <= 10; i++) {
      state = edited(state, RgaText.insert(RUNS / 2 + i, "z"), RUNS + 1 + i);
      state = edited(state, Rga.delete(RUNS / 2 + i, i % 2), RUNS + 20 + i);
    }

    assertThat(state.elements().tree().beforeVisible(RUNS / 2).path()).isSameAs(path);
  }

  /** Copies of the inner nodes and of the index of runs would exceed 5,000 bytes. */
  @Test
  void aKeystrokeAllocatesLittle() {
    State<String> state = TEXT.initial();
    for (int time = 1; time <= MANY_RUNS; time++) {
      state = edited(state, RgaText.insert(0, "x"), time);
    }
    state = edited(state, RgaText.insert(MANY_RUNS / 2, "typed: "), MANY_RUNS + 1);
    int place = MANY_RUNS / 2 + 7;
    long time = MANY_RUNS + 2;
    long before = allocatedBytes();
    for (int i = 0; i < KEYSTROKES; i++) {
      boolean isDeleted = i % 30 >= 20;
      place -= isDeleted ? 1 : 0;
      state = edited(state, isDeleted ? Rga.delete(place, 1) : RgaText.insert(place, "x"), time++);
      place += isDeleted ? 0 : 1;
    }

    assertThat((allocatedBytes() - before) / KEYSTROKES).isLessThan(3_500);
  }

  private static long allocatedBytes() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  @Test
  void aStateNeverChangesWhateverIsDerivedFromIt() {
    State<String> state = edited(manyRuns(), RgaText.insert(RUNS / 2, "y"), RUNS + 1);
    String text = state.toString();

    List<State<String>> others =
        List.of(
            edited(state, RgaText.insert(RUNS / 2 + 1, "z"), RUNS + 2),
            edited(state, RgaText.insert(0, "z"), RUNS + 2),
            edited(state, Rga.delete(RUNS - 1, 1), RUNS + 2));

    assertThat(state).hasToString(text);
    assertThat(others)
        .extracting(State::toString)
        .containsExactly(
            text.replace("y", "yz"),
            "z" + text,
            text.substring(0, RUNS - 1) + text.substring(RUNS));
  }
}
