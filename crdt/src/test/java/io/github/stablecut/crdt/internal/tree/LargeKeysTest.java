package io.github.stablecut.crdt.internal.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.MemoryPages;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import io.github.stablecut.crdt.register.LwwRegister;
import io.github.stablecut.crdt.set.AddWinsSet;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Pages of sets and maps are also bounded by the bytes of their elements and names: an operation on
 * a large one reads and writes no other large one.
 */
class LargeKeysTest {
  /** As in a store. */
  private static final MemoryPages.Sizes SIZES = new MemoryPages.Sizes(64, 64 << 10);

  private static final int KEY_BYTES = 100 << 10;

  /** Large enough that 15 of them exceed the limit for bounds. */
  private static final int LIKE_BYTES = 20 << 10;

  /** The most that a page takes besides a large key: smaller keys, references, dots. */
  private static final int MARGIN = MapNode.MAX_KEY_BYTES + (4 << 10);

  private static final AddWinsSet SET = AddWinsSet.TYPE;
  private static final RecursiveResetMap MAP = RecursiveResetMap.TYPE;

  private final Random random = new Random(7);
  private long time;

  private <S, O, E> S applied(CrdtType<S, O, E, ?> type, S state, O operation) {
    OperationContext context = new OperationContext(0, VectorClock.of(time), new SelfDots());
    E effect = type.downstream(operation, state, context);
    return type.apply(state, effect, new EffectOrigin(0, ++time, VectorClock.ZERO));
  }

  private static Bytes key(int i) {
    return key(i, KEY_BYTES);
  }

  /** Keys with a common prefix of 100 bytes. */
  private static Bytes key(int i, int size) {
    byte[] bytes = new byte[size];
    String told = "x".repeat(100) + "%06d".formatted(i);
    Bytes.utf8(told).copyInto(bytes, 0);
    return Bytes.wrap(bytes);
  }

  private NavigableSet<Bytes> read(MemoryPages<AddWinsSet.State> pages) {
    return SET.value(pages.state(SET), VectorClock.of(time));
  }

  /** Fewer elements than a set of small ones has in pages, and many. */
  @Test
  void largeElementsOfASetAreReadAndWrittenOneByOne() {
    for (int count : List.of(20, 200)) {
      AddWinsSet.State state = SET.initial();
      NavigableSet<Bytes> oracle = new TreeSet<>();
      for (int i = 0; i < count; i++) {
        state = applied(SET, state, new AddWinsSet.Add(List.of(key(i * 37 % count))));
        oracle.add(key(i));
      }
      MemoryPages<AddWinsSet.State> pages = MemoryPages.of(SET, state, SIZES);
      assertThat(pages.maxBytes()).isLessThan(KEY_BYTES + MARGIN);
      for (int i = 0; i < 40; i++) {
        pages.reads();
        assertThat(read(pages).contains(key(i))).isEqualTo(oracle.contains(key(i)));
        assertThat(pages.reads()).isLessThanOrEqualTo(3);

        MemoryPages<AddWinsSet.State> before = pages;
        Bytes removed = key(random.nextInt(count));
        Bytes added = key(random.nextInt(2 * count));
        state = applied(SET, before.state(SET), new AddWinsSet.Remove(List.of(removed)));
        pages = before.replacedBy(SET, applied(SET, state, new AddWinsSet.Add(List.of(added))));
        oracle.remove(removed);
        oracle.add(added);
        assertThat(read(pages)).isEqualTo(oracle);
        assertThat(pages.maxBytes()).isLessThan(KEY_BYTES + MARGIN);
        assertThat(pages.bytesChangedIn(before)).isLessThan(3 * KEY_BYTES + MARGIN);
      }
    }
  }

  /** A state in one piece is read into leaves of as many bytes. */
  @Test
  void aStateInOnePieceIsPagedBySuchElements() {
    List<Bytes> elements = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      elements.add(key(i, i % 7 == 0 ? KEY_BYTES : random.nextInt(5_000) + 110));
    }
    AddWinsSet.State state = applied(SET, SET.initial(), new AddWinsSet.Add(elements));
    AddWinsSet.State decoded = CrdtCodec.decodeState(SET, CrdtCodec.encodeState(SET, state));

    MemoryPages<AddWinsSet.State> pages = MemoryPages.of(SET, decoded, SIZES);
    assertThat(pages.maxBytes()).isLessThan(KEY_BYTES + MARGIN);
    assertThat(List.copyOf(read(pages))).isEqualTo(elements);
  }

  /** Bounds in inner nodes are then as large as the keys. */
  @Test
  void keysThatDifferAtTheirEndsShareNoLargePage() {
    int most = 15 * LIKE_BYTES + MARGIN;
    List<Bytes> elements = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      elements.add(likeKey(2 * i));
    }
    AddWinsSet.State state = applied(SET, SET.initial(), new AddWinsSet.Add(elements));
    NavigableSet<Bytes> oracle = new TreeSet<>(elements);
    // In one piece it is built at once; before, it has grown.
    AddWinsSet.State decoded = CrdtCodec.decodeState(SET, CrdtCodec.encodeState(SET, state));
    assertThat(MemoryPages.of(SET, decoded, SIZES).maxBytes()).isLessThan(most);
    MemoryPages<AddWinsSet.State> pages = MemoryPages.of(SET, state, SIZES);
    for (int i = 0; i < 60; i++) {
      assertThat(pages.maxBytes()).isLessThan(most);
      assertThat(read(pages)).isEqualTo(oracle);
      List<Bytes> removed = likeKeys(i % 2 == 0 ? 50 : 20);
      List<Bytes> added = likeKeys(i < 40 ? 5 : 60);
      state = applied(SET, pages.state(SET), new AddWinsSet.Remove(removed));
      pages = pages.replacedBy(SET, applied(SET, state, new AddWinsSet.Add(added)));
      oracle.removeAll(removed);
      oracle.addAll(added);
    }
  }

  private List<Bytes> likeKeys(int count) {
    int from = random.nextInt(2_000);
    return IntStream.range(from, from + count).mapToObj(LargeKeysTest::likeKey).toList();
  }

  private static Bytes likeKey(int i) {
    return Bytes.utf8("y".repeat(LIKE_BYTES - 6) + "%06d".formatted(i));
  }

  @Test
  void namesInMapsAreBoundedAlike() {
    RecursiveResetMap.State state = MAP.initial();
    for (int i = 0; i < 50; i++) {
      MapKey<LwwRegister.Operation, ?> place = new MapKey<>(key(i), LwwRegister.TYPE);
      MapKey<RecursiveResetMap.Operation, ?> inner = new MapKey<>(Bytes.utf8("inner"), MAP);
      var assign = new RecursiveResetMap.Update<>(place, new LwwRegister.Assign(Bytes.EMPTY));
      state = applied(MAP, state, assign);
      state = applied(MAP, state, new RecursiveResetMap.Update<>(inner, assign));
    }
    MemoryPages<RecursiveResetMap.State> pages = MemoryPages.of(MAP, state, SIZES);
    assertThat(pages.maxBytes()).isLessThan(KEY_BYTES + MARGIN);
    assertThat(CrdtCodec.encodeState(MAP, pages.state(MAP)))
        .isEqualTo(CrdtCodec.encodeState(MAP, state));
  }

  /** Pages of earlier versions have 32 elements, whatever their size. */
  @Test
  void readsAnOversizedLeafAndSplitsItWhenEdited() {
    Object[] keys = new Object[32];
    Object[] values = new Object[32];
    TreeMap<Bytes, Integer> oracle = new TreeMap<>();
    for (int i = 0; i < keys.length; i++) {
      keys[i] = key(i);
      values[i] = i;
      oracle.put(key(i), i);
    }
    PersistentMap<Bytes, Integer> map =
        PersistentMap.inPages(new MapNode.Leaf<Bytes, Integer>(keys, values, 1), keys.length);
    for (int i = 0; i < 100; i++) {
      Bytes key = key(random.nextInt(40));
      map = i % 3 == 0 ? map.without(key) : map.with(key, i);
      if (i % 3 == 0) {
        oracle.remove(key);
      } else {
        oracle.put(key, i);
      }
      assertThat(map.get(key)).isEqualTo(oracle.get(key));
    }
    List<Bytes> found = new ArrayList<>();
    map.forEach((key, value) -> found.add(key));
    assertThat(found).isEqualTo(List.copyOf(oracle.keySet()));
  }

  /** Keys with common prefixes of different lengths, so that bounds are truncated. */
  @Test
  void findsLongKeysOfAllLengths() {
    PersistentMap<Bytes, Integer> map = PersistentMap.empty();
    TreeMap<Bytes, Integer> oracle = new TreeMap<>();
    String[] beginnings = {"", "a".repeat(70), "a".repeat(71), "a".repeat(70) + "\0\0", "b"};
    for (int i = 0; i < 20_000; i++) {
      String beginning = beginnings[random.nextInt(beginnings.length)];
      String end = "z".repeat(random.nextInt(4) == 0 ? random.nextInt(9_000) : 1);
      Bytes key = Bytes.utf8(beginning + random.nextInt(300) + "/".repeat(i % 2) + end);
      assertThat(map.get(key)).isEqualTo(oracle.get(key));
      if (random.nextInt(3) == 0) {
        Bytes gone = oracle.isEmpty() ? key : oracle.ceilingKey(oracle.firstKey());
        map = map.without(gone);
        oracle.remove(gone);
      }
      map = map.with(key, i);
      oracle.put(key, i);
    }
    for (Bytes key : oracle.keySet()) {
      assertThat(map.get(key)).isEqualTo(oracle.get(key));
      assertThat(map.lowerEntry(key)).isEqualTo(oracle.lowerEntry(key));
      assertThat(map.rank(key, false)).isEqualTo(oracle.headMap(key).size());
      if (oracle.size() > 2_000) {
        break;
      }
    }
  }
}
