package io.github.stablecut.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import io.github.stablecut.crdt.sequence.Rga;
import io.github.stablecut.crdt.sequence.RgaText;
import io.github.stablecut.crdt.set.AddWinsSet;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A changed state holds copies of the changed pages, and counts exactly those. */
class PageCopiesTest {
  private static final int SIZE = 5_000;

  private final Random random = new Random(19);
  private long time;

  private <S, O, E> S applied(CrdtType<S, O, E, ?> type, S state, O operation) {
    OperationContext context = new OperationContext(0, VectorClock.of(time), new SelfDots());
    E effect = type.downstream(operation, state, context);
    return type.apply(state, effect, new EffectOrigin(0, ++time, VectorClock.ZERO));
  }

  private static Bytes element(int i) {
    return Bytes.utf8("element-%05d".formatted(i));
  }

  private static List<Bytes> elements(int from, int to) {
    return IntStream.range(from, to).mapToObj(PageCopiesTest::element).toList();
  }

  /** Makes changes, and compares the count with the changed pages. */
  private <S, O> void assertCountsWhatChanges(
      CrdtType<S, O, ?, ?> type, S full, int changes, IntFunction<O> operation) {
    MemoryPages<S> before = MemoryPages.of(type, full);
    S state = before.state(type);
    for (int i = 0; i < changes; i++) {
      state = applied(type, state, operation.apply(i));
    }
    MemoryPages<S> after = before.replacedBy(type, state); // a text makes its last copies here
    assertThat(before.copiedBytes())
        .as(type.name() + " " + changes)
        .isPositive()
        .isEqualTo(before.bytesChangedIn(after));
  }

  @Test
  void countsCopiesOfASet() {
    AddWinsSet type = AddWinsSet.TYPE;
    AddWinsSet.State full = applied(type, type.initial(), new AddWinsSet.Add(elements(0, SIZE)));
    for (int changes : new int[] {1, 10, 1_000}) {
      assertCountsWhatChanges(
          type,
          full,
          changes,
          i -> {
            List<Bytes> one = List.of(element(random.nextInt(2 * SIZE)));
            return random.nextInt(3) == 0 ? new AddWinsSet.Add(one) : new AddWinsSet.Remove(one);
          });
    }
    assertCountsWhatChanges(type, full, SIZE - 3, i -> new AddWinsSet.Remove(List.of(element(i))));
  }

  @Test
  void countsCopiesOfAText() {
    RgaText type = RgaText.TYPE;
    Rga.State<String> state = type.initial();
    for (int i = 0; i < SIZE; i++) {
      state = applied(type, state, RgaText.insert(random.nextInt(i + 1), "x"));
    }
    for (int changes : new int[] {1, 10, 1_000}) {
      assertCountsWhatChanges(
          type,
          state,
          changes,
          i ->
              random.nextInt(3) == 0
                  ? Rga.delete(random.nextInt(SIZE / 2), 1)
                  : RgaText.insert(random.nextInt(SIZE / 2), "yz"));
    }
  }

  @Test
  void anotherChangeOfThePageCopiesItNoMore() {
    RgaText type = RgaText.TYPE;
    Rga.State<String> state = type.initial();
    for (int i = 0; i < SIZE; i++) {
      state = applied(type, state, RgaText.insert(random.nextInt(i + 1), "x"));
    }
    MemoryPages<Rga.State<String>> pages = MemoryPages.of(type, state);
    state = applied(type, pages.state(type), RgaText.insert(SIZE / 2, "y"));
    assertThat(pages.copiedBytes()).isPositive();
    for (int i = 1; i < 20; i++) {
      state = applied(type, state, RgaText.insert(SIZE / 2 + i, "y"));
      assertThat(pages.copiedBytes()).isZero();
    }
  }

  @Test
  void anIneffectiveChangeCopiesNothing() {
    MemoryPages<AddWinsSet.State> pages =
        MemoryPages.of(
            AddWinsSet.TYPE,
            applied(
                AddWinsSet.TYPE, AddWinsSet.TYPE.initial(), new AddWinsSet.Add(elements(0, SIZE))));
    AddWinsSet.State same =
        applied(
            AddWinsSet.TYPE,
            pages.state(AddWinsSet.TYPE),
            new AddWinsSet.Remove(List.of(Bytes.utf8("none"))));
    assertThat(pages.copiedBytes()).isZero();
    assertThat(pages.bytesChangedIn(pages.replacedBy(AddWinsSet.TYPE, same))).isZero();
  }

  @Test
  void aValueInItsOwnPageCountsWhenItIsReplaced() {
    RecursiveResetMap type = RecursiveResetMap.TYPE;
    RecursiveResetMap.State state = type.initial();
    for (int i = 0; i < 100; i++) {
      state = applied(type, state, addTo(i, element(0), element(1), element(2)));
    }
    MemoryPages<RecursiveResetMap.State> pages = MemoryPages.of(type, state);
    RecursiveResetMap.State changed = applied(type, pages.state(type), addTo(7, element(3)));
    long first = pages.copiedBytes();
    assertThat(first).isPositive().isEqualTo(pages.bytesChangedIn(pages.replacedBy(type, changed)));

    RecursiveResetMap.State again = applied(type, changed, addTo(7, element(4)));
    assertThat(pages.copiedBytes()).isZero();
    assertThat(again).isNotEqualTo(changed);
  }

  private static RecursiveResetMap.Operation addTo(int place, Bytes... elements) {
    MapKey<AddWinsSet.Operation, ?> set = new MapKey<>(element(place), AddWinsSet.TYPE);
    return new RecursiveResetMap.Update<>(set, new AddWinsSet.Add(List.of(elements)));
  }
}
