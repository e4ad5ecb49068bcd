package io.github.stablecut.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import io.github.stablecut.crdt.register.LwwRegister;
import io.github.stablecut.crdt.register.MvRegister;
import io.github.stablecut.crdt.sequence.Rga;
import io.github.stablecut.crdt.sequence.RgaList;
import io.github.stablecut.crdt.sequence.RgaText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * No page is much larger than the largest operand of one operation, however many large values are
 * next to each other; and an operation on one touches no other.
 */
class LargePartsTest {
  /** As in a store, with values of 16 KiB instead of 16 MiB. */
  private static final MemoryPages.Sizes SIZES = new MemoryPages.Sizes(64, 64);

  private static final int VALUE_BYTES = 16 << 10;

  /** The most that a page takes besides a large value: references, keys, dots. */
  private static final int MARGIN = 2 << 10;

  private static final RecursiveResetMap MAP = RecursiveResetMap.TYPE;
  private static final RgaList LIST = RgaList.TYPE;
  private static final Bytes NAME = Bytes.utf8("name");

  private long time;

  private <S, O, E> S applied(CrdtType<S, O, E, ?> type, S state, O operation) {
    OperationContext context = new OperationContext(0, VectorClock.of(time), new SelfDots());
    E effect = type.downstream(operation, state, context);
    return type.apply(state, effect, new EffectOrigin(0, ++time, VectorClock.ZERO));
  }

  private static Bytes value(int filling) {
    return value(filling, VALUE_BYTES);
  }

  private static Bytes value(int filling, int size) {
    byte[] bytes = new byte[size];
    Arrays.fill(bytes, (byte) filling);
    return Bytes.wrap(bytes);
  }

  private static MapKey<LwwRegister.Operation, ?> place(int i) {
    return new MapKey<>(Bytes.utf8("place-%05d".formatted(i)), LwwRegister.TYPE);
  }

  private static Object registerAt(int place, Map<MapKey<?, ?>, Object> map) {
    return ((Optional<?>) map.getOrDefault(place(place), Optional.empty())).orElseThrow();
  }

  private static RecursiveResetMap.Update<?> assign(int place, Bytes value) {
    return new RecursiveResetMap.Update<>(place(place), new LwwRegister.Assign(value));
  }

  private static RecursiveResetMap.Batch assignAll(int places) {
    return new RecursiveResetMap.Batch(
        IntStream.range(0, places)
            .<RecursiveResetMap.EntryOperation>mapToObj(i -> assign(i, value(i)))
            .toList());
  }

  private NavigableMap<MapKey<?, ?>, Object> read(MemoryPages<RecursiveResetMap.State> pages) {
    return (NavigableMap<MapKey<?, ?>, Object>) MAP.value(pages.state(MAP), VectorClock.of(time));
  }

  /** Such tombstones stay until there are many, so pruning need not search for them. */
  @Test
  void pruningDoesNotReadLongTextsWithFewTombstones() {
    RecursiveResetMap.State state = MAP.initial();
    for (int i = 0; i < 200; i++) {
      MapKey<Rga.Operation<String>, ?> text =
          new MapKey<>(Bytes.utf8("text-%03d".formatted(i)), RgaText.TYPE);
      for (Rga.Operation<String> edit :
          List.of(RgaText.insert(0, "x".repeat(6_000)), Rga.<String>delete(i, 1))) {
        state = applied(MAP, state, new RecursiveResetMap.Update<>(text, edit));
      }
    }
    MemoryPages<RecursiveResetMap.State> pages = MemoryPages.of(MAP, state, SIZES);
    pages.reads();

    RecursiveResetMap.State stored = pages.state(MAP);
    assertThat(MAP.prune(stored, VectorClock.of(time))).isSameAs(stored);
    assertThat(pages.reads()).isZero();
  }

  @Test
  void largeValuesOfAMapAreReadOneByOne() {
    for (int places : List.of(17, 1_000)) {
      var state = applied(MAP, MAP.initial(), assignAll(places));
      MemoryPages<RecursiveResetMap.State> pages = MemoryPages.of(MAP, state, SIZES);
      assertThat(pages.maxBytes()).isLessThan(VALUE_BYTES + MARGIN);

      pages.reads();
      NavigableMap<MapKey<?, ?>, Object> map = read(pages);
      assertThat(map).hasSize(places);
      assertThat(map.containsKey(place(11))).isTrue();
      assertThat(map.firstKey()).isEqualTo(place(0));
      assertThat(map.tailMap(place(5), true).navigableKeySet().higher(place(7)))
          .isEqualTo(place(8));
      assertThat(new ArrayList<>(map.keySet())).hasSize(places).endsWith(place(places - 1));
      assertThat(MAP.prune(pages.state(MAP), VectorClock.of(time))).isNotNull();
      assertThat(pages.reads()).isLessThanOrEqualTo(places / 10);

      assertThat(registerAt(11, map)).isEqualTo(value(11));
      assertThat(pages.reads()).isLessThanOrEqualTo(4);
    }
  }

  @Test
  void aChangeOfALargeValueWritesNoOther() {
    MemoryPages<RecursiveResetMap.State> pages =
        MemoryPages.of(MAP, applied(MAP, MAP.initial(), assignAll(1_000)), SIZES);
    for (RecursiveResetMap.Operation operation :
        List.of(
            assign(500, value(1)),
            assign(501, value(1, 3)),
            assign(2_000, value(1)),
            new RecursiveResetMap.Remove(place(502)))) {
      MemoryPages<RecursiveResetMap.State> before = pages;
      before.reads();
      pages = before.replacedBy(MAP, applied(MAP, before.state(MAP), operation));
      assertThat(pages.differencesFrom(before)).isBetween(2, 4);
      assertThat(before.reads()).isLessThanOrEqualTo(4);
    }
    assertThat(registerAt(500, read(pages))).isEqualTo(value(1));
    assertThat(registerAt(501, read(pages))).isEqualTo(value(1, 3));
    assertThat(read(pages)).hasSize(1_000).doesNotContainKey(place(502));
  }

  @Test
  void largeValuesOfAFewEntriesInANestedMapAreSeparate() {
    MapKey<RecursiveResetMap.Operation, ?> inner = new MapKey<>(NAME, MAP);
    var state = applied(MAP, MAP.initial(), new RecursiveResetMap.Update<>(inner, assignAll(63)));
    state = applied(MAP, state, assign(0, value(5, 10)));
    MemoryPages<RecursiveResetMap.State> pages = MemoryPages.of(MAP, state, SIZES);
    assertThat(pages.maxBytes()).isLessThan(VALUE_BYTES + MARGIN);

    for (int i = 0; i < 20; i++) {
      MemoryPages<RecursiveResetMap.State> before = pages;
      state =
          applied(
              MAP,
              before.state(MAP),
              new RecursiveResetMap.Update<>(inner, assign(i, value(i + 100))));
      pages = before.replacedBy(MAP, state);
      assertThat(pages.differencesFrom(before)).isBetween(1, 2);
    }
    assertThat(CrdtCodec.encodeState(MAP, pages.state(MAP)))
        .isEqualTo(CrdtCodec.encodeState(MAP, state));
    Map<MapKey<?, ?>, Object> all = inner.in(read(pages)).map(LargePartsTest::asMap).orElseThrow();
    assertThat(registerAt(19, all)).isEqualTo(value(119));
    assertThat(registerAt(20, all)).isEqualTo(value(20));
  }

  @SuppressWarnings("unchecked") // the value of a map
  private static Map<MapKey<?, ?>, Object> asMap(Object value) {
    return (Map<MapKey<?, ?>, Object>) value;
  }

  @Test
  void aLargeValueBesideSmallOnesIsSeparate() {
    var state = applied(MAP, MAP.initial(), assignAll(1));
    for (int i = 1; i < 30; i++) {
      state = applied(MAP, state, assign(i, value(i, 20)));
    }
    MemoryPages<RecursiveResetMap.State> pages = MemoryPages.of(MAP, state, SIZES);
    assertThat(pages.numbers()).hasSize(1);
    NavigableMap<MapKey<?, ?>, Object> map = read(pages);
    assertThat(registerAt(3, map)).isEqualTo(value(3, 20));
    assertThat(pages.reads()).isZero();
  }

  @Test
  void largeConcurrentValuesOfARegisterAreSeparate() {
    MvRegister.State state = MvRegister.TYPE.initial();
    MvRegister.State none = state;
    for (int i = 0; i < 20; i++) {
      OperationContext context = new OperationContext(0, VectorClock.ZERO, new SelfDots());
      var effect = MvRegister.TYPE.downstream(new MvRegister.Assign(value(i)), none, context);
      state = MvRegister.TYPE.apply(state, effect, new EffectOrigin(0, ++time, VectorClock.ZERO));
    }
    MemoryPages<MvRegister.State> pages = MemoryPages.of(MvRegister.TYPE, state, SIZES);
    assertThat(pages.maxBytes()).isLessThan(VALUE_BYTES + MARGIN);
    MvRegister.State stored = pages.state(MvRegister.TYPE);
    assertThat(stored).isEqualTo(state);
    MvRegister.State one = applied(MvRegister.TYPE, stored, new MvRegister.Assign(value(1)));
    assertThat(MvRegister.TYPE.value(one, VectorClock.of(time))).containsExactly(value(1));
  }

  @Test
  void largeElementsOfAListAreReadAndWrittenOneByOne() {
    int size = 100 << 10;
    Rga.State<List<Bytes>> state = LIST.initial();
    for (int i = 0; i < 40; i += 4) {
      List<Bytes> four =
          List.of(value(i, size), value(i + 1, size), value(i + 2, size), value(i + 3, size));
      state = applied(LIST, state, RgaList.insert(i, four));
    }
    MemoryPages<Rga.State<List<Bytes>>> pages = MemoryPages.of(LIST, state, SIZES);
    assertThat(pages.maxBytes()).isLessThan((256 << 10) + MARGIN);
    for (int i = 0; i < 40; i++) {
      pages.reads();
      List<Bytes> list = LIST.value(pages.state(LIST), VectorClock.of(time));
      assertThat(list.get(i)).isEqualTo(value(i, size));
      assertThat(pages.reads()).isLessThanOrEqualTo(3);
      MemoryPages<Rga.State<List<Bytes>>> before = pages;
      Rga.State<List<Bytes>> edited = applied(LIST, before.state(LIST), Rga.delete(i, 1));
      edited = applied(LIST, edited, RgaList.insert(i, List.of(value(i + 100, size))));
      pages = before.replacedBy(LIST, edited);
      assertThat(pages.differencesFrom(before)).isBetween(1, 6);
      assertThat(pages.maxBytes()).isLessThan((256 << 10) + MARGIN);
      pages.reads();
      assertThat(LIST.prune(pages.state(LIST), VectorClock.of(time))).isNotNull();
      assertThat(pages.reads()).isZero();
    }
    assertThat(LIST.value(pages.state(LIST), VectorClock.of(time)))
        .isEqualTo(IntStream.range(100, 140).mapToObj(i -> value(i, size)).toList());
  }

  @Test
  void listElementsWithinTheCountLimitAreSplitByTheirBytes() {
    List<Bytes> all = new ArrayList<>();
    for (int i = 0; i < 1_024; i++) {
      all.add(value(i, i % 50 == 0 ? 300 << 10 : 5_000));
    }
    Rga.State<List<Bytes>> state = applied(LIST, LIST.initial(), RgaList.insert(0, all));
    MemoryPages<Rga.State<List<Bytes>>> pages = MemoryPages.of(LIST, state, SIZES);
    assertThat(pages.maxBytes()).isLessThan((300 << 10) + MARGIN);
    assertThat(pages.numbers().size()).isBetween(40, 150);
    assertThat(state.elements().tree().visibleBytes())
        .isEqualTo(all.stream().mapToLong(Bytes::length).sum());

    for (int i = 0; i < 300; i++) {
      state = pages.state(LIST);
      state = applied(LIST, state, RgaList.insert(i * 2, List.of(value(i, 4_000))));
      state = applied(LIST, state, Rga.delete(i, 2));
      all.add(i * 2, value(i, 4_000));
      all.subList(i, i + 2).clear();
      pages = pages.replacedBy(LIST, state);
    }
    assertThat(pages.maxBytes()).isLessThan((300 << 10) + MARGIN);
    Rga.State<List<Bytes>> stored = pages.state(LIST);
    assertThat(LIST.value(stored, VectorClock.of(time))).isEqualTo(all);
    assertThat(stored.elements().tree().visibleBytes())
        .isEqualTo(all.stream().mapToLong(Bytes::length).sum());
    assertThat(CrdtCodec.decodeState(LIST, CrdtCodec.encodeState(LIST, state))).isEqualTo(state);
  }

  @Test
  void aListOfFewLargeElementsInAMapIsPaged() {
    MapKey<Rga.Operation<List<Bytes>>, ?> place = new MapKey<>(NAME, LIST);
    List<Bytes> elements = new ArrayList<>(Collections.nCopies(20, value(1, 200 << 10)));
    var state =
        applied(
            MAP, MAP.initial(), new RecursiveResetMap.Update<>(place, RgaList.insert(0, elements)));
    MemoryPages<RecursiveResetMap.State> pages = MemoryPages.of(MAP, state, SIZES);
    assertThat(pages.maxBytes()).isLessThan((200 << 10) + MARGIN);
    for (int i = 0; i < 20; i++) {
      MemoryPages<RecursiveResetMap.State> before = pages;
      state =
          applied(
              MAP,
              before.state(MAP),
              new RecursiveResetMap.Update<>(place, RgaList.insert(i, List.of(value(i, 100)))));
      pages = before.replacedBy(MAP, state);
      assertThat(pages.differencesFrom(before)).isLessThan(6);
      elements.add(i, value(i, 100));
    }
    assertThat(read(pages).get(place)).isEqualTo(elements);
  }
}
