package io.github.stablecut.crdt.internal.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.set.AddWinsSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** A persistent map behaves like a {@link TreeMap}, and its earlier versions don't change. */
class PersistentMapProperties {
  /** One change: a value for a key, or none. */
  record Change(Bytes key, int value, boolean removes) {}

  /** Short and long keys, with and without common prefixes, few enough to collide. */
  @Provide
  Arbitrary<List<Change>> changes() {
    Arbitrary<Bytes> keys =
        Combinators.combine(
                Arbitraries.of("", "k", "key/", "a long prefix/", "\u07ff"),
                Arbitraries.integers().between(0, 300),
                Arbitraries.of("", "\0", "\0\0", "\1", "/more", "/most"))
            .as((prefix, number, suffix) -> Bytes.utf8(prefix + number + suffix));
    Arbitrary<Boolean> removes = Arbitraries.frequency(Tuple.of(3, false), Tuple.of(2, true));
    return Combinators.combine(keys, Arbitraries.integers().between(0, 9), removes)
        .as(Change::new)
        .list()
        .ofMaxSize(1500);
  }

  @Property(tries = 200)
  void behavesLikeATreeMap(@ForAll("changes") List<Change> changes) {
    PersistentMap<Bytes, Integer> map = PersistentMap.empty();
    TreeMap<Bytes, Integer> oracle = new TreeMap<>();
    for (Change change : changes) {
      if (change.removes) {
        map = map.without(change.key);
        oracle.remove(change.key);
      } else {
        map = map.with(change.key, change.value);
        oracle.put(change.key, change.value);
      }
      assertThat(map.get(change.key)).isEqualTo(oracle.get(change.key));
      assertThat(map.size()).isEqualTo(oracle.size());
    }
    assertSame(map, oracle);
  }

  @Property(tries = 50)
  void keepsEarlierVersions(@ForAll("changes") List<Change> changes) {
    List<PersistentMap<Bytes, Integer>> copies = new ArrayList<>();
    List<TreeMap<Bytes, Integer>> oracles = new ArrayList<>();
    PersistentMap<Bytes, Integer> map = PersistentMap.empty();
    TreeMap<Bytes, Integer> oracle = new TreeMap<>();
    for (Change change : changes) {
      copies.add(map);
      oracles.add(new TreeMap<>(oracle));
      map = change.removes ? map.without(change.key) : map.with(change.key, change.value);
      if (change.removes) {
        oracle.remove(change.key);
      } else {
        oracle.put(change.key, change.value);
      }
    }
    for (int i = 0; i < copies.size(); i += 37) {
      assertSame(copies.get(i), oracles.get(i));
    }
  }

  @Property(tries = 200)
  void isEqualByContentWhateverItsHistory(@ForAll("changes") List<Change> changes) {
    PersistentMap<Bytes, Integer> map = PersistentMap.empty();
    TreeMap<Bytes, Integer> oracle = new TreeMap<>();
    for (Change change : changes) {
      map = change.removes ? map.without(change.key) : map.with(change.key, change.value);
      if (change.removes) {
        oracle.remove(change.key);
      } else {
        oracle.put(change.key, change.value);
      }
    }
    PersistentMap<Bytes, Integer> direct = PersistentMap.empty();
    for (Map.Entry<Bytes, Integer> entry : oracle.descendingMap().entrySet()) {
      direct = direct.with(entry.getKey(), entry.getValue());
    }

    assertThat(map).isEqualTo(direct).hasSameHashCodeAs(direct).hasToString(direct.toString());
  }

  /** The keys of maps: the same bytes with different types. */
  @Property(tries = 100)
  void ordersKeysWithTheSameBytes(@ForAll("changes") List<Change> changes) {
    PersistentMap<MapKey<?, ?>, Integer> map = PersistentMap.empty();
    TreeMap<MapKey<?, ?>, Integer> oracle = new TreeMap<>();
    for (Change change : changes) {
      CrdtType<?, ?, ?, ?> type = change.value % 2 == 0 ? PnCounter.TYPE : AddWinsSet.TYPE;
      MapKey<?, ?> key = new MapKey<>(change.key, type);
      map = change.removes ? map.without(key) : map.with(key, change.value);
      if (change.removes) {
        oracle.remove(key);
      } else {
        oracle.put(key, change.value);
      }
    }
    PersistentMap<MapKey<?, ?>, Integer> built = map;

    oracle.forEach((key, value) -> assertThat(built.get(key)).isEqualTo(value));
    assertThat(built.toString()).isEqualTo(oracle.toString());
  }

  @Property(tries = 100)
  void updatesPresentAndAbsentKeysInOneSearch(@ForAll("changes") List<Change> changes) {
    PersistentMap<Bytes, Integer> map = PersistentMap.empty();
    TreeMap<Bytes, Integer> oracle = new TreeMap<>();
    for (Change change : changes) {
      int added = change.removes ? -change.value : change.value;
      map = map.update(change.key, 0, before -> before + added);
      oracle.merge(change.key, added, Integer::sum);
      oracle.remove(change.key, 0);
      assertThat(map.update(change.key, 0, before -> before)).isSameAs(map);
    }
    assertSame(map, oracle);
  }

  /** In a tree of three levels, of which some leaves are full and others nearly empty. */
  @Property(tries = 20)
  void changesAnyKeyAfterAnEarlierSearch(@ForAll Random random) {
    PersistentMap<Bytes, Integer> map = PersistentMap.empty();
    TreeMap<Bytes, Integer> oracle = new TreeMap<>();
    for (int i = 0; i < 9000; i++) {
      boolean grows = i < 4000 || i > 8000;
      Bytes key = numbered(random);
      Bytes found = random.nextInt(4) == 0 ? numbered(random) : key;
      assertThat(map.getForChange(found)).isEqualTo(oracle.get(found));
      PersistentMap<Bytes, Integer> before = map;
      if (random.nextInt(4) == 0 != grows) {
        map = map.with(key, i);
        oracle.put(key, i);
      } else {
        map = map.without(key);
        oracle.remove(key);
      }
      assertThat(before.get(found)).isEqualTo(before.getForChange(found));
      assertThat(map.get(key)).isEqualTo(oracle.get(key));
    }
    assertSame(map, oracle);
  }

  private static Bytes numbered(Random random) {
    return Bytes.utf8("key/" + random.nextInt(5000) + "/more than a head has");
  }

  /** Many keys that start alike, end early, and continue with zeros, in a tree of three levels. */
  @Property(tries = 10)
  void findsKeysByTheirCommonPrefixesWithNeighbours(@ForAll Random random) {
    PersistentMap<Bytes, Integer> map = PersistentMap.empty();
    TreeMap<Bytes, Integer> oracle = new TreeMap<>();
    for (int i = 0; i < 6000; i++) {
      Bytes key = likeOthers(random);
      map = map.with(key, i);
      oracle.put(key, i);
    }
    for (int i = 0; i < 6000; i++) {
      Bytes key = likeOthers(random);
      assertThat(map.get(key)).isEqualTo(oracle.get(key));
      assertThat(map.lowerEntry(key)).isEqualTo(oracle.lowerEntry(key));
      if (i % 3 == 0) {
        map = map.without(key);
        oracle.remove(key);
      }
    }
    assertSame(map, oracle);
  }

  /** The head of a removed key, after the zeros with which the others continue, equals theirs. */
  @Example
  void distinguishesAKeyFromItsContinuationsWithZeros() {
    Bytes removed = Bytes.wrap(new byte[] {'p', 0});
    PersistentMap<Bytes, Integer> map = PersistentMap.<Bytes, Integer>empty().with(removed, 0);
    for (int i = 0; i < MapNode.LEAF_MAX / 2; i++) {
      map = map.with(Bytes.utf8("before " + i), i);
    }
    for (int i = 0; i < 2 * MapNode.LEAF_MAX; i++) {
      map = map.with(afterZeros(i), i);
    }
    map = map.without(removed);
    for (int i = 0; i < 2 * MapNode.LEAF_MAX; i++) {
      map = map.with(afterZeros(1, i), i);
    }
    map = map.with(afterZeros(), 1);

    assertThat(map.get(afterZeros())).isEqualTo(1);
    assertThat(map.get(removed)).isNull();
  }

  private static Bytes afterZeros(int... more) {
    byte[] key = new byte[9 + more.length];
    key[0] = 'p';
    for (int i = 0; i < more.length; i++) {
      key[9 + i] = (byte) more[i];
    }
    return Bytes.wrap(key);
  }

  private static Bytes likeOthers(Random random) {
    byte[] key = new byte[random.nextInt(16)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(8) == 0 ? 'a' : random.nextInt(2));
    }
    return Bytes.wrap(key);
  }

  private static void assertSame(
      PersistentMap<Bytes, Integer> map, NavigableMap<Bytes, Integer> oracle) {
    List<Map.Entry<Bytes, Integer>> iterated = new ArrayList<>();
    map.forEach(entry -> iterated.add(entry));
    List<Map.Entry<Bytes, Integer>> visited = new ArrayList<>();
    map.forEach((key, value) -> visited.add(Map.entry(key, value)));

    assertThat(iterated).isEqualTo(List.copyOf(oracle.entrySet()));
    assertThat(visited).isEqualTo(iterated);
    assertThat(map.size()).isEqualTo(oracle.size());
    assertThat(map.lastValue())
        .isEqualTo(Optional.ofNullable(oracle.lastEntry()).map(Map.Entry::getValue));
    oracle.forEach((key, value) -> assertThat(map.get(key)).isEqualTo(value));
    assertThat(map.get(Bytes.utf8("not there"))).isNull();
  }
}
