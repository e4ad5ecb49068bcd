package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterMapKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Walks by pages, each at its own snapshot, over elements that change between the pages, in memory
 * and across checkpoints: each element that exists throughout is met exactly once, in order.
 */
class ChangingPagesTest {
  private static final int SIZE = 20_000;
  private static final int PAGE = 500;
  private static final int CHANGES = 200;

  @TempDir private Path directory;

  private final AddWinsSetKey<String> set = Key.addWinsSet("b", "set", Codec.string());
  private final CounterMapKey<String> counters = Key.counterMap("b", "counters", Codec.string());
  private final Random random = new Random(19);

  /** The present elements, of the set and of the objects. */
  private final TreeSet<String> there = new TreeSet<>();

  /** The elements that were present throughout the walk. */
  private final TreeSet<String> always = new TreeSet<>();

  private Store store;

  private static String name(int i) {
    return "e%06d".formatted(i);
  }

  private static Update object(String name, boolean isThere) {
    var key = Key.register("objects", name, Codec.string());
    return isThere ? key.assign("v") : key.clear();
  }

  @BeforeEach
  void fill() {
    store =
        Stablecut.open(
            directory, StoreOptions.defaults().withCheckpoints(CheckpointPolicy.byCall()));
    for (int from = 0; from < SIZE; from += 1_000) {
      List<String> names = new ArrayList<>();
      List<Update> updates = new ArrayList<>();
      Map<String, Long> counts = new LinkedHashMap<>();
      for (int i = from; i < from + 1_000; i++) {
        names.add(name(2 * i));
        updates.add(object(name(2 * i), true));
        counts.put(name(2 * i), 1L);
      }
      updates.add(set.addAll(names));
      updates.add(counters.incrementAll(counts));
      store.update(updates.toArray(Update[]::new));
      there.addAll(names);
    }
    always.addAll(there);
    store.checkpoint();
  }

  @AfterEach
  void close() {
    store.close();
  }

  /**
   * Removes some present elements and adds some absent ones, possibly adding removed ones again.
   */
  private void change() {
    List<String> added = new ArrayList<>();
    List<String> removed = new ArrayList<>();
    List<Update> updates = new ArrayList<>();
    for (int i = 0; i < CHANGES; i++) {
      String name = name(random.nextInt(2 * SIZE));
      if (there.remove(name)) {
        always.remove(name);
        removed.add(name);
        updates.add(object(name, false));
      } else if (!removed.contains(name)) {
        there.add(name);
        added.add(name);
        updates.add(object(name, true));
        updates.add(counters.increment(name));
      }
    }
    removed.removeAll(added);
    updates.add(set.addAll(added));
    updates.add(set.removeAll(removed));
    store.update(updates.toArray(Update[]::new));
    if (random.nextInt(4) == 0) {
      store.checkpoint();
    }
  }

  /**
   * Walks all pages.
   *
   * @param page returns the elements after the given one, or the first ones if it is empty, up to a
   *     limit
   */
  private List<String> walk(BiFunction<String, Integer, List<String>> page) {
    List<String> met = new ArrayList<>();
    List<String> next = page.apply("", PAGE);
    while (!next.isEmpty()) {
      met.addAll(next);
      change();
      String last = next.get(next.size() - 1);
      next = page.apply(last, PAGE);
      assertThat(next).allMatch(name -> name.compareTo(last) > 0);
    }
    return met;
  }

  private static void assertMet(List<String> met, NavigableSet<String> expected) {
    assertThat(met).isSorted().doesNotHaveDuplicates();
    assertThat(met.stream().filter(expected::contains).toList())
        .containsExactlyElementsOf(expected);
  }

  @Test
  void aSet() {
    assertMet(walk((after, limit) -> store.read(set.pageAfter(after, limit))), always);
  }

  @Test
  void aCounterMap() {
    TreeSet<String> begun = new TreeSet<>(there);

    List<String> met =
        walk(
            (after, limit) ->
                store.read(counters.pageAfter(after, limit)).stream()
                    .map(Map.Entry::getKey)
                    .toList());

    // Counters are never removed.
    assertMet(met, begun);
  }

  @Test
  void objects() {
    assertMet(
        walk(
            (after, limit) -> {
              List<String> page = new ArrayList<>();
              ScanOptions options = ScanOptions.bucket("objects").limit(limit).keysOnly();
              try (Scan scan =
                  store.snapshot().scan(after.isEmpty() ? options : options.after(after))) {
                scan.forEachRemaining(object -> page.add(object.key().toUtf8()));
              }
              return page;
            }),
        always);
  }
}
