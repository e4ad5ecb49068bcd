package io.github.stablecut.crdt.internal.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.MemoryPages;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.set.AddWinsSet;
import io.github.stablecut.crdt.set.RemoveWinsSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The pages that operations touch in a set of a million elements. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MapPagesTest {
  private static final int SIZE = 1_000_000;

  /** The pages from the root of the tree to a leaf. */
  private static final int DEPTH = 4;

  private static final EffectOrigin ORIGIN = new EffectOrigin(0, 7, VectorClock.ZERO);

  private final AddWinsSet type = AddWinsSet.TYPE;
  private final Random random = new Random(3);
  private MemoryPages<AddWinsSet.State> pages = MemoryPages.of(type, type.initial());

  @BeforeAll
  void fill() {
    AddWinsSet.State state = type.initial();
    for (int from = 0; from < SIZE; from += 10_000) {
      List<Bytes> elements = new ArrayList<>();
      for (int i = from; i < from + 10_000; i++) {
        elements.add(element(i));
      }
      state = applied(state, new AddWinsSet.Add(elements));
    }
    pages = pages.replacedBy(type, state);
  }

  private static Bytes element(int i) {
    return Bytes.utf8("element-%07d".formatted(i));
  }

  private AddWinsSet.State applied(AddWinsSet.State state, AddWinsSet.Operation operation) {
    OperationContext context = new OperationContext(0, VectorClock.ZERO, new SelfDots());
    return type.apply(state, type.downstream(operation, state, context), ORIGIN);
  }

  @Test
  void aReadTouchesOnePath() {
    NavigableSet<Bytes> value = type.value(pages.state(type), VectorClock.ZERO);
    pages.reads();
    assertThat(value).hasSize(SIZE);
    assertThat(pages.reads()).isLessThanOrEqualTo(1);

    assertThat(value.contains(element(random.nextInt(SIZE)))).isTrue();
    assertThat(pages.reads()).isEqualTo(DEPTH);

    List<Bytes> page = value.tailSet(element(777_777), false).stream().limit(20).toList();
    assertThat(page).startsWith(element(777_778)).endsWith(element(777_797)).hasSize(20);
    assertThat(pages.reads()).isLessThanOrEqualTo(4 * DEPTH);
  }

  @Test
  void aCachedPageIsDecodedOnce() {
    NavigableSet<Bytes> value = type.value(pages.state(type), VectorClock.ZERO);
    pages.drop();
    for (int i = 0; i < 100; i++) {
      assertThat(value.contains(element(4711))).isTrue();
      assertThat(value.contains(element(SIZE - 1))).isTrue();
    }
    assertThat(pages.decoded()).isEqualTo(2 * DEPTH - 1);
  }

  @Test
  void aChangeWritesOnePath() {
    for (AddWinsSet.Operation operation :
        List.of(
            new AddWinsSet.Add(List.of(element(SIZE / 2))),
            new AddWinsSet.Add(List.of(Bytes.utf8("element-0500000x"))),
            new AddWinsSet.Remove(List.of(element(SIZE / 3))))) {
      MemoryPages<AddWinsSet.State> before = pages;
      pages = before.replacedBy(type, applied(before.state(type), operation));
      // A split or a join changes a neighbour, too.
      assertThat(pages.differencesFrom(before)).isBetween(DEPTH, DEPTH + 2);
    }
  }

  @Test
  void pruningDoesNotReadPagesOfStableValues() {
    RemoveWinsSet bans = RemoveWinsSet.TYPE;
    OperationContext context = new OperationContext(0, VectorClock.ZERO, new SelfDots());
    List<Bytes> elements = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      elements.add(element(i));
    }
    RemoveWinsSet.State state = bans.initial();
    for (RemoveWinsSet.Operation operation :
        List.of(
            new RemoveWinsSet.Add(elements),
            new RemoveWinsSet.Remove(List.of(element(5), element(6_000))))) {
      state = bans.apply(state, bans.downstream(operation, state, context), ORIGIN);
    }
    MemoryPages<RemoveWinsSet.State> stored = MemoryPages.of(bans, state);
    stored.reads();
    RemoveWinsSet.State pruned = bans.prune(stored.state(bans), VectorClock.of(7));
    assertThat(stored.reads()).isLessThan(20);
    assertThat(pruned).isEqualTo(bans.prune(state, VectorClock.of(7))).isNotEqualTo(state);
  }

  @Test
  void refusesInvalidPagesWithAFormatException() {
    MemoryPages<AddWinsSet.State> few =
        MemoryPages.of(type, applied(type.initial(), new AddWinsSet.Add(someElements(2_000))));
    List<Integer> numbers = few.numbers();
    int refused = 0;
    for (int i = 0; i < 5_000; i++) {
      int page = numbers.get(random.nextInt(numbers.size()));
      byte[] bytes = few.bytesOf(page).clone();
      int at = random.nextInt(bytes.length);
      bytes[at] = (byte) random.nextInt(256);
      byte[] hostile = random.nextInt(4) == 0 ? Arrays.copyOf(bytes, at) : bytes;
      try {
        List<Bytes> read =
            type.value(few.with(page, hostile).state(type), VectorClock.ZERO).stream()
                .limit(100_000)
                .toList();
        assertThat(read).isNotEmpty();
      } catch (FormatException e) {
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(1_000);
  }

  private static List<Bytes> someElements(int count) {
    List<Bytes> elements = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      elements.add(element(i));
    }
    return elements;
  }
}
