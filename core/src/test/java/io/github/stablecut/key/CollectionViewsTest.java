package io.github.stablecut.key;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.testing.ListTestSuiteBuilder;
import com.google.common.collect.testing.NavigableMapTestSuiteBuilder;
import com.google.common.collect.testing.NavigableSetTestSuiteBuilder;
import com.google.common.collect.testing.SampleElements;
import com.google.common.collect.testing.SetTestSuiteBuilder;
import com.google.common.collect.testing.TestSetGenerator;
import com.google.common.collect.testing.TestSortedMapGenerator;
import com.google.common.collect.testing.TestStringListGenerator;
import com.google.common.collect.testing.TestStringSortedSetGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.MapFeature;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.internal.materializer.CallTypes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.stream.Stream;
import junit.framework.Test;
import junit.framework.TestResult;

/** Values keep the contracts of the JDK's collections, according to Guava's published tests. */
class CollectionViewsTest {
  /** The value of an object after some updates, each in a transaction. */
  private static <V> V value(Key<V> key, Stream<Update> updates) {
    CrdtType<?, ?, ?, ?> type = key.type();
    Object[] state = {type.initial()};
    long[] time = {Timestamp.of(1_000_000, 0)};
    updates.forEach(
        update -> {
          VectorClock seen = VectorClock.of(time[0]);
          OperationContext context = new OperationContext(0, seen, new SelfDots());
          Object effect = CallTypes.downstream(type, update.operation(), state[0], context);
          state[0] = CallTypes.apply(type, state[0], effect, new EffectOrigin(0, ++time[0], seen));
        });
    return key.view(state[0], VectorClock.of(time[0]));
  }

  private static void assertPasses(Test suite, int atLeast) {
    TestResult result = new TestResult();
    suite.run(result);
    List<String> failed = new ArrayList<>();
    Collections.list(result.errors()).forEach(error -> failed.add(error.trace()));
    Collections.list(result.failures()).forEach(failure -> failed.add(failure.trace()));
    assertThat(failed).isEmpty();
    assertThat(result.runCount()).isGreaterThan(atLeast);
  }

  private static Test sets(String name, SetKey<String> key, Stream<Update> before) {
    List<Update> first = before.toList();
    return NavigableSetTestSuiteBuilder.using(
            new TestStringSortedSetGenerator() {
              @Override
              protected SortedSet<String> create(String[] elements) {
                return value(
                    key, Stream.concat(first.stream(), Arrays.stream(elements).map(key::add)));
              }

              @Override
              public List<String> order(List<String> insertionOrder) {
                Collections.sort(insertionOrder);
                return insertionOrder;
              }
            })
        .named(name)
        .withFeatures(
            CollectionSize.ANY,
            CollectionFeature.KNOWN_ORDER,
            CollectionFeature.ALLOWS_NULL_QUERIES)
        .createTestSuite();
  }

  @org.junit.jupiter.api.Test
  void setsAreNavigableSets() {
    assertPasses(
        sets("grow-only", Key.growOnlySet("b", "k", Codec.string()), Stream.empty()), 1_000);
    assertPasses(sets("add-wins", Key.addWinsSet("b", "k", Codec.string()), Stream.empty()), 1_000);
  }

  /** Removed elements stay in the state, and must be invisible to readers. */
  @org.junit.jupiter.api.Test
  void aSetThatHoldsRemovedElementsIsANavigableSet() {
    RemoveWinsSetKey<String> key = Key.removeWinsSet("b", "k", Codec.string());
    List<String> removed =
        Stream.of("!", "a", "aa", "b!", "bb", "cc", "f", "z")
            .flatMap(CollectionViewsTest::near)
            .toList();

    assertPasses(sets("remove-wins", key, removed.stream().map(key::remove)), 1_000);
  }

  private static Stream<String> near(String text) {
    return Stream.of(text, text + "x", text + "y", text + "z", text + "0", text + "1");
  }

  @org.junit.jupiter.api.Test
  void counterMapsAreNavigableMaps() {
    CounterMapKey<String> key = Key.counterMap("b", "k", Codec.string());
    assertPasses(
        NavigableMapTestSuiteBuilder.using(new Counters(key))
            .named("counter map")
            .withFeatures(
                CollectionSize.ANY,
                CollectionFeature.KNOWN_ORDER,
                MapFeature.ALLOWS_NULL_KEY_QUERIES,
                MapFeature.ALLOWS_NULL_VALUE_QUERIES,
                MapFeature.ALLOWS_NULL_ENTRY_QUERIES,
                CollectionFeature.ALLOWS_NULL_QUERIES)
            .createTestSuite(),
        1_000);
  }

  /** Counter maps with the given contents. */
  private static final class Counters implements TestSortedMapGenerator<String, Long> {
    private final CounterMapKey<String> key;

    Counters(CounterMapKey<String> key) {
      this.key = key;
    }

    @Override
    public SampleElements<Map.Entry<String, Long>> samples() {
      return new SampleElements<>(
          Map.entry("b", 1L),
          Map.entry("c", -2L),
          Map.entry("d", 3L),
          Map.entry("e", Long.MAX_VALUE),
          Map.entry("f", 0L));
    }

    @Override
    public java.util.SortedMap<String, Long> create(Object... entries) {
      Map<String, Long> amounts = new LinkedHashMap<>();
      for (Object entry : entries) {
        Map.Entry<?, ?> one = (Map.Entry<?, ?>) entry;
        amounts.put((String) one.getKey(), (Long) one.getValue());
      }
      return value(
          key, amounts.entrySet().stream().map(one -> key.increment(one.getKey(), one.getValue())));
    }

    @Override
    @SuppressWarnings({"unchecked", "rawtypes"}) // as the interface requires
    public Map.Entry<String, Long>[] createArray(int length) {
      return new Map.Entry[length];
    }

    @Override
    public String[] createKeyArray(int length) {
      return new String[length];
    }

    @Override
    public Long[] createValueArray(int length) {
      return new Long[length];
    }

    @Override
    public Iterable<Map.Entry<String, Long>> order(List<Map.Entry<String, Long>> insertionOrder) {
      // The suite reverses it in place.
      insertionOrder.sort(Map.Entry.comparingByKey());
      return insertionOrder;
    }

    @Override
    public Map.Entry<String, Long> belowSamplesLesser() {
      return Map.entry("!! a", 5L);
    }

    @Override
    public Map.Entry<String, Long> belowSamplesGreater() {
      return Map.entry("!! b", 6L);
    }

    @Override
    public Map.Entry<String, Long> aboveSamplesLesser() {
      return Map.entry("~~ a", 7L);
    }

    @Override
    public Map.Entry<String, Long> aboveSamplesGreater() {
      return Map.entry("~~ b", 8L);
    }
  }

  @org.junit.jupiter.api.Test
  void listsAreLists() {
    ListKey<String> key = Key.list("b", "k", Codec.string());
    assertPasses(
        ListTestSuiteBuilder.using(
                new TestStringListGenerator() {
                  @Override
                  protected List<String> create(String[] elements) {
                    return value(
                        key,
                        Stream.iterate(0, i -> i < elements.length, i -> i + 1)
                            .map(i -> key.insert(i, elements[i])));
                  }
                })
            .named("list")
            .withFeatures(
                CollectionSize.ANY,
                CollectionFeature.KNOWN_ORDER,
                CollectionFeature.ALLOWS_NULL_QUERIES)
            .createTestSuite(),
        250);
  }

  @org.junit.jupiter.api.Test
  void keysOfMapsAreSets() {
    assertPasses(
        SetTestSuiteBuilder.using(new KeysOfMap())
            .named("keys of a map")
            .withFeatures(
                CollectionSize.ANY,
                CollectionFeature.KNOWN_ORDER,
                CollectionFeature.ALLOWS_NULL_QUERIES)
            .createTestSuite(),
        100);
  }

  /** Keys of the objects of maps with the given contents. */
  private static final class KeysOfMap implements TestSetGenerator<Object> {
    private final RecursiveMapKey map = Key.map("b", "k");
    private final Map<Object, CounterKey> counters = new LinkedHashMap<>();

    private Object keyOf(String name) {
      CounterKey counter = map.counter(name);
      Object key = keys(Stream.of(counter)).iterator().next();
      counters.put(key, counter);
      return key;
    }

    @SuppressWarnings("unchecked") // a set of keys is one of objects to a reader
    private Set<Object> keys(Stream<CounterKey> inMap) {
      return (Set<Object>) (Set<?>) value(map, inMap.map(CounterKey::increment)).keys();
    }

    @Override
    public SampleElements<Object> samples() {
      return new SampleElements<>(keyOf("a"), keyOf("b"), keyOf("c"), keyOf("d"), keyOf("e"));
    }

    @Override
    public Set<Object> create(Object... elements) {
      return keys(Arrays.stream(elements).map(counters::get));
    }

    @Override
    public Object[] createArray(int length) {
      return new Object[length];
    }

    @Override
    public Iterable<Object> order(List<Object> insertionOrder) {
      insertionOrder.sort(Comparator.comparing(Object::toString));
      return insertionOrder;
    }
  }
}
