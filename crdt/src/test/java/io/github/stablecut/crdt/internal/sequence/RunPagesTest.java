package io.github.stablecut.crdt.internal.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.MemoryPages;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.sequence.Rga;
import io.github.stablecut.crdt.sequence.RgaText;
import io.github.stablecut.crdt.sequence.Text;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The pages that operations touch in a text that was written at many positions. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RunPagesTest {
  private static final int EDITS = 20_000;

  /** The pages from the root of a tree to a leaf: of the runs, and of the index of their starts. */
  private static final int DEPTH = 4;

  private final RgaText type = RgaText.TYPE;
  private final Random random = new Random(8);
  private final StringBuilder model = new StringBuilder();
  private MemoryPages<Rga.State<String>> pages = MemoryPages.of(type, type.initial());
  private long time;

  @BeforeAll
  void fill() {
    Rga.State<String> state = type.initial();
    for (int i = 0; i < EDITS; i++) {
      state = edited(state);
    }
    pages = pages.replacedBy(type, state);
    assertThat(value(state)).isEqualTo(model.toString());
  }

  private String value(Rga.State<String> state) {
    return type.value(state, VectorClock.of(time)).toString();
  }

  private Rga.State<String> edited(Rga.State<String> state) {
    int position = random.nextInt(model.length() + 1);
    if (random.nextInt(4) > 0 || position == model.length()) {
      model.insert(position, "some words ");
      return applied(state, RgaText.insert(position, "some words "));
    }
    model.deleteCharAt(position);
    return applied(state, Rga.delete(position, 1));
  }

  private Rga.State<String> applied(Rga.State<String> state, Rga.Operation<String> operation) {
    VectorClock snapshot = VectorClock.of(time);
    OperationContext context = new OperationContext(0, snapshot, new SelfDots());
    var effect = type.downstream(operation, state, context);
    return type.apply(state, effect, new EffectOrigin(0, ++time, VectorClock.ZERO));
  }

  @Test
  void anEditReadsAndWritesPaths() {
    for (int i = 0; i < 50; i++) {
      MemoryPages<Rga.State<String>> before = pages;
      before.reads();
      Rga.State<String> state = edited(before.state(type));
      assertThat(before.reads()).isLessThan(25 * DEPTH);
      pages = before.replacedBy(type, state);
      assertThat(pages.differencesFrom(before)).isBetween(1, 10 * DEPTH);
    }
    assertThat(value(pages.state(type))).isEqualTo(model.toString());
  }

  @Test
  void partsAreReadAlone() {
    pages.reads();
    Text value = type.value(pages.state(type), VectorClock.of(time));
    assertThat(value.length()).isEqualTo(model.length());
    int at = model.length() / 3;
    assertThat(value.charAt(at)).isEqualTo(model.charAt(at));
    assertThat(value.subSequence(at, at + 20).toString()).isEqualTo(model.substring(at, at + 20));
    assertThat(pages.reads()).isLessThan(6 * DEPTH);
  }

  @Test
  void aSliceOfATextTakesOnePathPerVisibleRun() {
    Text value = type.value(pages.state(type), VectorClock.of(time));
    int size = value.codePointCount();
    pages.steps();
    for (int i = 0; i < 100; i++) {
      int at = random.nextInt(size - 1);
      assertThat(value.slice(at, at + 1).toString()).isEqualTo(model.substring(at, at + 1));
    }
    assertThat(pages.steps()).isLessThanOrEqualTo(100 * DEPTH);
  }

  @Test
  void pruningSearchesTombstonesOnceTheyAreHalfOfAll() {
    int size = model.length();
    Rga.State<String> few = applied(pages.state(type), Rga.delete(0, size / 10));
    MemoryPages<Rga.State<String>> stored = pages.replacedBy(type, few);
    stored.reads();
    Rga.State<String> state = stored.state(type);
    assertThat(type.prune(state, VectorClock.of(time))).isSameAs(state);
    assertThat(stored.reads()).isZero();

    Rga.State<String> many = applied(state, Rga.delete(0, size / 2));
    Rga.State<String> pruned = type.prune(many, VectorClock.of(time));
    assertThat(pruned.elements().tree().size()).isLessThan(size - size / 2);
    assertThat(value(pruned)).isEqualTo(value(many));
  }

  @Test
  void refusesInvalidPagesWithAFormatException() {
    List<Integer> numbers = pages.numbers();
    int refused = 0;
    for (int i = 0; i < 500; i++) {
      int page = numbers.get(random.nextInt(numbers.size()));
      byte[] bytes = pages.bytesOf(page).clone();
      int at = random.nextInt(bytes.length);
      bytes[at] = (byte) random.nextInt(256);
      byte[] hostile = random.nextInt(4) == 0 ? Arrays.copyOf(bytes, at) : bytes;
      try {
        Rga.State<String> state = pages.with(page, hostile).state(type);
        List<Run<String>> runs = new ArrayList<>();
        state.elements().tree().forEach(runs::add);
        assertThat(runs).isNotEmpty();
      } catch (FormatException e) {
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(50);
  }
}
