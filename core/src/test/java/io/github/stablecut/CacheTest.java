package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.StoreStatus.CacheLevel;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.MultiValueRegisterKey;
import io.github.stablecut.option.CacheOptions;
import io.github.stablecut.option.CacheOptions.Capacity;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.IndexOptions;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cache changes how many versions stay in memory, and never the values that readers see. */
final class CacheTest {
  private static final CounterKey COUNTER = Key.counter("b", "counter");
  private static final int KEYS = 50;

  @TempDir Path directory;

  private Store open(CacheOptions cache) {
    return Stablecut.open(
        directory.resolve("data"),
        StoreOptions.defaults()
            .withIndex(IndexOptions.defaults().withFoldAfter(0))
            .withCache(cache)
            .withCheckpoints(CheckpointPolicy.byCall().withEndlessRetention()));
  }

  private static List<CacheOptions> tooSmall() {
    return List.of(
        CacheOptions.off(),
        CacheOptions.objects(7),
        CacheOptions.levels(Capacity.objects(4), Capacity.objects(3)));
  }

  private static CounterKey key(int number) {
    return Key.counter("b", "key-" + number);
  }

  private static long kept(Store store) {
    return store.status().memory().cache().stream().mapToLong(CacheLevel::objects).sum();
  }

  @Test
  void aSmallCacheKeepsWhatFitsAndAnswersCorrectly() {
    for (CacheOptions cache : tooSmall()) {
      try (Store store = open(cache)) {
        long before = store.read(key(0));
        for (int number = 0; number < KEYS; number++) {
          store.update(key(number).increment());
        }
        for (int round = 0; round < 3; round++) {
          for (int number = 0; number < KEYS; number++) {
            assertThat(store.read(key(number))).isEqualTo(before + 1);
            assertThat(kept(store)).isLessThanOrEqualTo(7);
          }
          // So that effects leave memory and only cached versions stay.
          store.update(COUNTER.increment());
          store.checkpoint();
          assertThat(store.status().memory().objects())
              .isLessThanOrEqualTo(round == 0 ? KEYS + 1 : 7 + 1);
        }
      }
    }
  }

  /** Versions of one object share their unchanged parts, which count once. */
  @Test
  void anObjectThatFitsOnceStaysCachedWhileItChanges() {
    AddWinsSetKey<String> set = Key.addWinsSet("b", "set", Codec.string());
    try (Store store = open(CacheOptions.bytes(2 << 20))) {
      store.update(set.addAll(IntStream.range(0, 50_000).mapToObj(i -> "element " + i).toList()));
      for (int edit = 0; edit < 20; edit++) {
        store.update(set.add("another " + edit));
        assertThat(store.read(set).size()).isEqualTo(50_001 + edit);
      }

      CacheLevel level = store.status().memory().cache().get(0);
      assertThat(level.evictions()).isZero();
      assertThat(level.bytes()).isBetween(1L << 20, 2L << 20);
    }
  }

  @Test
  void pagesOfACheckpointAreNoLongerCounted() {
    for (CacheOptions cache :
        List.of(
            CacheOptions.bytes(2 << 20),
            CacheOptions.levels(Capacity.bytes(2 << 20), Capacity.bytes(2 << 20)))) {
      AddWinsSetKey<String> set = Key.addWinsSet("b", cache.toString(), Codec.string());
      try (Store store = open(cache)) {
        store.update(set.addAll(IntStream.range(0, 60_000).mapToObj(i -> "element " + i).toList()));
        store.checkpoint();
      }
      try (Store store = open(cache)) {
        store.update(set.add("one more"));
        assertThat(store.read(set.size())).isEqualTo(60_001);
        assertThat(store.status().memory().cache())
            .extracting(CacheLevel::bytes)
            .anyMatch(bytes -> bytes > 1_000);
        store.update(COUNTER.increment());
        store.checkpoint();

        assertThat(store.status().memory().cache())
            .extracting(CacheLevel::bytes)
            .allMatch(bytes -> bytes < 1_000);
      }
    }
  }

  @Test
  void overflowOfAFullLevelMovesToTheNextAndThenOut() {
    try (Store store = open(CacheOptions.levels(Capacity.objects(4), Capacity.objects(3)))) {
      for (int number = 0; number < KEYS; number++) {
        store.update(key(number).increment());
        assertThat(store.read(key(number))).isEqualTo(1);
      }

      List<CacheLevel> levels = store.status().memory().cache();
      assertThat(levels)
          .hasSize(2)
          .extracting(CacheLevel::objects)
          .allMatch(objects -> objects > 0);
      assertThat(levels).extracting(CacheLevel::evictions).allMatch(evicted -> evicted > 0);
      assertThat(levels).extracting(CacheLevel::bytes).allMatch(bytes -> bytes > 0);
    }
  }

  @Test
  void hitsAreCountedPerLevel() {
    for (CacheOptions cache : List.of(CacheOptions.objects(10), tooSmall().get(2))) {
      try (Store store = open(cache)) {
        store.update(COUNTER.increment());
        long value = store.read(COUNTER);
        long misses = store.status().memory().misses();
        for (int read = 0; read < 10_000; read++) {
          assertThat(store.read(COUNTER)).isEqualTo(value);
        }

        assertThat(store.status().memory().misses()).isEqualTo(misses);
        assertThat(store.status().memory().cache().get(0).hits()).isPositive();
      }
    }
  }

  /**
   * Repeats the test of the Gingko implementation: twenty rounds, and a read of the past after
   * newer ones.
   */
  @Test
  void everyRoundIsReadAtItsTimeWithAndWithoutACache() {
    for (CacheOptions cache : List.of(CacheOptions.off(), CacheOptions.objects(1))) {
      try (Store store = open(cache)) {
        long before = store.read(COUNTER);
        List<CausalToken> rounds = new ArrayList<>();
        for (int round = 1; round <= 20; round++) {
          rounds.add(store.update(COUNTER.increment(10)));
          assertThat(store.at(rounds.get(round - 1)).read(COUNTER)).isEqualTo(before + 10L * round);
          assertThat(store.read(key(round))).isZero();
        }
        for (int round = 20; round >= 1; round--) {
          assertThat(store.at(rounds.get(round - 1)).read(COUNTER)).isEqualTo(before + 10L * round);
        }
        assertThat(store.read(COUNTER)).isEqualTo(before + 200);
      }
    }
  }

  @Test
  void readsFiftyAssignmentsInAnyOrder() {
    MultiValueRegisterKey<String> register = Key.multiValueRegister("b", "mv", Codec.string());
    try (Store store = open(CacheOptions.objects(10))) {
      List<CausalToken> commits =
          IntStream.range(0, KEYS)
              .mapToObj(value -> store.update(register.assign("" + value)))
              .toList();
      Random random = new Random(1);
      for (int read = 0; read < 500; read++) {
        int number = random.nextInt(KEYS);
        assertThat(store.at(commits.get(number)).read(register)).containsExactly("" + number);
      }
    }
  }

  @Test
  void foldsManyEffectsOfOneTransactionOnceAndThenLaterOnes() {
    try (Store store = open(CacheOptions.objects(10))) {
      try (Transaction transaction = store.begin()) {
        IntStream.range(0, 500).forEach(i -> transaction.update(COUNTER.increment()));
        transaction.commit();
      }
      assertThat(store.read(COUNTER)).isEqualTo(500);
      IntStream.range(0, 10).forEach(i -> store.update(COUNTER.increment()));
      assertThat(store.read(COUNTER)).isEqualTo(510);
    }
  }

  @Test
  void valuesStayRightWhileTheListOfEffectsGrowsAndShrinks() {
    try (Store store = open(CacheOptions.objects(10))) {
      List<CausalToken> commits = new ArrayList<>();
      IntStream.range(0, 1_000).forEach(i -> commits.add(store.update(COUNTER.increment())));
      for (int i = 0; i < 100; i++) {
        commits.add(store.update(COUNTER.increment()));
        assertThat(store.read(COUNTER)).isEqualTo(commits.size());
        if (i % 30 == 0) {
          store.checkpoint();
        }
      }
      for (int i = 0; i < commits.size(); i += 97) {
        assertThat(store.at(commits.get(i)).read(COUNTER)).isEqualTo(i + 1);
      }
    }
  }
}
