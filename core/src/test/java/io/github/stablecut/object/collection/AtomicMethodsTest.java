package io.github.stablecut.object.collection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Watch;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.Key;
import io.github.stablecut.object.ObjectSpace;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.WatchOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.ConcurrentModificationException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.ListIterator;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Methods on many elements of a collection are one call, or one transaction: concurrent changes are
 * neither lost nor seen in part. A concurrent writer acts within the function that the method
 * receives, so each run is the same.
 */
class AtomicMethodsTest {
  @TempDir private Path directory;
  private Store store;
  private SharedList<String> list;

  @BeforeEach
  void open() {
    store =
        Stablecut.open(
            directory,
            StoreOptions.defaults().withDurability(Durability.periodic(Duration.ofSeconds(1))));
    list = SharedList.open(ObjectSpace.of(store), "b", "list", Codec.string());
    list.addAll(List.of("drop", "c", "a", "drop", "b"));
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** A concurrent writer: adds elements in front and behind, once. */
  private static final class ConcurrentWriter {
    private final SharedList<String> list;
    private boolean isDone;

    ConcurrentWriter(SharedList<String> list) {
      this.list = list;
    }

    void act() {
      if (!isDone) {
        isDone = true;
        list.add(0, "first");
        list.add("zlast");
      }
    }
  }

  private record BulkMethod(String name, List<String> expected, Consumer<SharedList<String>> call) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** A collection that lets the concurrent writer act when it is queried. */
  private static Set<String> probing(ConcurrentWriter other, String... elements) {
    return new HashSet<>(List.of(elements)) {
      private static final long serialVersionUID = 1L;

      @Override
      public boolean contains(Object element) {
        other.act();
        return super.contains(element);
      }
    };
  }

  private static boolean isDropped(ConcurrentWriter other, String element) {
    other.act();
    return element.equals("drop");
  }

  private static Comparator<String> order(ConcurrentWriter other) {
    return (one, another) -> {
      other.act();
      return one.compareTo(another);
    };
  }

  private static Stream<BulkMethod> bulkMethods() {
    List<String> left = List.of("first", "c", "a", "b", "zlast");
    return Stream.of(
        new BulkMethod("removeIf", left, all -> removeDropped(all, new ConcurrentWriter(all))),
        new BulkMethod(
            "queue.removeIf", left, all -> removeInQueue(all, new ConcurrentWriter(all))),
        new BulkMethod(
            "removeAll", left, all -> all.removeAll(probing(new ConcurrentWriter(all), "drop"))),
        new BulkMethod(
            "retainAll",
            left,
            all ->
                all.retainAll(probing(new ConcurrentWriter(all), "a", "b", "c", "first", "zlast"))),
        new BulkMethod(
            "replaceAll",
            List.of("FIRST", "DROP", "C", "A", "DROP", "B", "ZLAST"),
            all -> upperCase(all, new ConcurrentWriter(all))),
        new BulkMethod(
            "sort",
            List.of("a", "b", "c", "drop", "drop", "first", "zlast"),
            all -> all.sort(order(new ConcurrentWriter(all)))));
  }

  private static void removeDropped(SharedList<String> all, ConcurrentWriter other) {
    assertThat(all.removeIf(element -> isDropped(other, element))).isTrue();
  }

  private static void removeInQueue(SharedList<String> all, ConcurrentWriter other) {
    assertThat(all.asQueue().removeIf(element -> isDropped(other, element))).isTrue();
  }

  private static void upperCase(SharedList<String> all, ConcurrentWriter other) {
    all.replaceAll(
        element -> {
          other.act();
          return element.toUpperCase(Locale.ROOT);
        });
  }

  @ParameterizedTest
  @MethodSource("bulkMethods")
  void concurrentAdditionsAreNotLost(BulkMethod bulk) {
    long before = list.object().position();
    bulk.call.accept(list);

    assertThat(list).containsExactlyElementsOf(bulk.expected);
    assertThat(list.object().position()).isEqualTo(before + 3); // two of the concurrent writer's
  }

  private static Stream<Arguments> methodsOfOneCall() {
    return Stream.<Consumer<SharedList<String>>>of(
            all -> all.addAll(List.of("x", "y")),
            all -> all.addAll(1, List.of("x", "y")),
            all -> all.asQueue().addAll(List.of("x", "y")),
            all -> all.asStack().addAll(List.of("x", "y")),
            all -> all.removeIf("drop"::equals),
            all -> all.removeAll(Set.of("drop", "a")),
            all -> all.retainAll(Set.of("a")),
            all -> all.asStack().retainAll(Set.of("a")),
            all -> all.sort(null),
            Collections::sort,
            all -> all.replaceAll(element -> element + "!"),
            all -> all.subList(1, 4).clear(),
            all -> all.subList(1, 4).addAll(List.of("x", "y")),
            all -> all.subList(1, 4).sort(null),
            all -> all.subList(0, 5).removeIf("drop"::equals))
        .map(Arguments::of);
  }

  @ParameterizedTest
  @MethodSource("methodsOfOneCall")
  void aMethodIsOneCallOfTheObject(Consumer<SharedList<String>> call) {
    long before = list.object().position();
    call.accept(list);
    assertThat(list.object().position()).isEqualTo(before + 1);

    List<String> as = new ArrayList<>(List.of("drop", "c", "a", "drop", "b"));
    assertThat(list).isNotEqualTo(as);
  }

  @Test
  void aStackPushesAllOnTopOneAfterTheOther() {
    list.clear();
    list.asStack().addAll(List.of("x", "y"));
    list.asStack().addAll(List.of("z"));
    assertThat(list.asStack()).containsExactlyElementsOf(stacked());
  }

  /** The result of {@code addLast} of each element, as {@code addAll} of a deque specifies. */
  private List<String> stacked() {
    SharedList<String> one =
        SharedList.open(ObjectSpace.of(store), "b", "one by one", Codec.string());
    Stream.of("x", "y", "z").forEach(element -> one.asStack().addLast(element));
    return List.copyOf(one.asStack());
  }

  @Test
  void anIteratorSeesTheListAsItWas() {
    Iterator<String> iterator = list.iterator();
    list.clear();
    list.add("new");

    List<String> seen = new ArrayList<>();
    iterator.forEachRemaining(seen::add);
    assertThat(seen).containsExactly("drop", "c", "a", "drop", "b");
    Stream<String> stream = list.stream();
    list.clear();
    assertThat(stream.toList()).containsExactly("new");
  }

  @Test
  void anIteratorChangesTheElementsThatItReturned() {
    ListIterator<String> iterator = list.listIterator();
    assertThat(iterator.next()).isEqualTo("drop");
    assertThat(iterator.next()).isEqualTo("c");
    list.add(0, "first");
    iterator.set("C");
    iterator.add("after C");
    assertThat(iterator.next()).isEqualTo("a");
    list.remove(0);
    iterator.remove();

    assertThat(list).containsExactly("drop", "C", "after C", "drop", "b");
    assertThat(iterator.next()).isEqualTo("drop");
    assertThat(iterator.next()).isEqualTo("b");
    list.clear();
    assertThatThrownBy(() -> iterator.set("gone"))
        .isInstanceOf(ConcurrentModificationException.class)
        .hasMessageContaining("others changed");
    assertThatThrownBy(() -> iterator.add("gone"))
        .isInstanceOf(ConcurrentModificationException.class);
    iterator.remove();
    assertThat(list).isEmpty();
  }

  @Test
  void aSublistChangesTheListOnlyWithoutConcurrentChanges() {
    List<String> part = list.subList(1, 4);
    list.add("behind");
    part.remove("a");
    assertThat(list).containsExactly("drop", "c", "drop", "b", "behind");

    list.add(0, "first");
    assertThatThrownBy(part::clear).isInstanceOf(ConcurrentModificationException.class);
    assertThat(list).containsExactly("first", "drop", "c", "drop", "b", "behind");
    list.clear();
    assertThatThrownBy(() -> part.get(0)).isInstanceOf(ConcurrentModificationException.class);
  }

  private static List<KeyedMap<String, Long>> maps(ObjectSpace space) {
    return List.of(
        SharedMap.open(space, "b", "map", Codec.string(), Codec.int64()),
        ComposedMap.open(space, "b", "composed", 4, Codec.string(), Codec.int64()),
        ComposedTree.open(space, "b", "tree", Codec.string(), Codec.int64()));
  }

  @Test
  void putsAllPairsOrNone() {
    for (KeyedMap<String, Long> map : maps(ObjectSpace.of(store))) {
      Map<String, Long> all = new HashMap<>();
      for (long i = 0; i < 300; i++) {
        all.put("k" + i, i);
      }
      map.putAll(Map.of("k1", 0L, "other", 1L));
      assertThat(commits(() -> map.putAll(all))).isEqualTo(1);
      all.put("other", 1L);
      assertThat(map).isEqualTo(all).hasSize(301);
      assertThat(commits(() -> map.replaceAll((key, value) -> value + 1))).isEqualTo(1);
      assertThat(map.get("other")).isEqualTo(2);
      assertThat(commits(() -> map.keySet().removeIf(key -> !key.startsWith("k1")))).isEqualTo(1);
      assertThat(map).hasSize(111);
    }
  }

  /** The number of transactions of an action. */
  private int commits(Runnable action) {
    try (Watch watch = store.watch("b", "", WatchOptions.fromNow())) {
      action.run();
      CausalToken last = store.update(Key.counter("b", "last").increment());
      int changes = 0;
      while (!watch.poll(Duration.ofMinutes(1)).orElseThrow().token().equals(last)) {
        changes++;
      }
      return changes;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void removesOnlyObservedEntries() {
    for (KeyedMap<String, Long> map : maps(ObjectSpace.of(store))) {
      map.putAll(Map.of("a", 1L, "b", 1L));
      AtomicInteger asked = new AtomicInteger();
      assertThat(
              map.values()
                  .removeIf(
                      value -> {
                        if (asked.getAndIncrement() == 0) {
                          map.put("a", 2L);
                          map.put("c", 2L);
                        }
                        return value == 1;
                      }))
          .isTrue();
      assertThat(map).isEqualTo(Map.of("a", 2L, "c", 2L));

      Iterator<Map.Entry<String, Long>> entries = map.entrySet().iterator();
      Iterator<Long> values = map.values().iterator();
      assertThat(entries.next().getKey()).isEqualTo(first(map));
      assertThat(values.next()).isEqualTo(2);
      map.put(first(map), 3L);
      entries.remove();
      values.remove();
      assertThat(map).hasSize(2);
      Map.Entry<String, Long> entry = entries.next();
      entry.setValue(4L);
      entries.remove();
      assertThat(map).hasSize(1).containsValue(3L);
    }
  }

  private static String first(KeyedMap<String, Long> map) {
    return map.keySet().iterator().next();
  }

  @Test
  void comparesMapsAtOneMoment() {
    for (KeyedMap<String, Long> map : maps(ObjectSpace.of(store))) {
      map.putAll(Map.of("a", 1L, "b", 2L));
      Map<String, Long> other = new HashMap<>(Map.of("a", 1L, "b", 2L));

      assertThat(map.equals(other)).isTrue();
      assertThat(map.keySet()).isEqualTo(Set.of("a", "b"));
      assertThat(map.keySet().hashCode()).isEqualTo(other.keySet().hashCode());
      assertThat(map.hashCode()).isEqualTo(other.hashCode());
      Stream<String> keys = map.keySet().stream();
      map.put("c", 3L);
      assertThat(keys.toList()).containsExactlyInAnyOrder("a", "b");
      assertThat(map.values()).containsAll(List.of(1L, 3L));
    }
  }
}
