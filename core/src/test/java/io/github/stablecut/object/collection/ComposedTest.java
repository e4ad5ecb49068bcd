package io.github.stablecut.object.collection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.object.ObjectSpace;
import io.github.stablecut.object.View;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Collections of several objects, and one object as several collections. */
class ComposedTest {
  private static final StoreOptions FAST =
      StoreOptions.defaults().withDurability(Durability.periodic(Duration.ofSeconds(1)));
  private static final TransactionOptions SERIALISABLE =
      TransactionOptions.defaults().certify(Certification.READS_WRITES);

  @TempDir private Path directory;

  private void inStore(Consumer<Store> test) {
    try (Store store = Stablecut.open(directory, FAST)) {
      test.accept(store);
    }
  }

  private static ComposedMap<String, Long> map(ObjectSpace space, int buckets) {
    return ComposedMap.open(space, "maps", "composed", buckets, Codec.string(), Codec.int64());
  }

  private static ComposedTree<Long, String> tree(ObjectSpace space) {
    return ComposedTree.open(space, "maps", "tree", Codec.int64(), Codec.string());
  }

  @Test
  void aListIsAQueueAndAStackAtTheSameTime() {
    inStore(
        store -> {
          SharedList<String> list =
              SharedList.open(ObjectSpace.of(store), "b", "list", Codec.string());
          Queue<String> queue = list.asQueue();
          Deque<String> stack = list.asStack();
          queue.add("a");
          stack.push("b");
          list.add("c");

          assertThat(list).containsExactly("a", "b", "c");
          assertThat(queue.poll()).isEqualTo("a");
          assertThat(stack.pop()).isEqualTo("c");
          assertThat(list.asDeque().peekLast()).isEqualTo("b");
          assertThat(stack).containsExactly("b");
          List<String> then = list.snapshot();
          list.clear();
          assertThat(then).containsExactly("b");
          assertThat(queue.poll()).isNull();
        });
  }

  @Test
  void creationFixesTheNumberOfBuckets() {
    inStore(
        store -> {
          ComposedMap<String, Long> map = map(ObjectSpace.of(store), 8);
          assertThat(map.buckets()).isZero();
          assertThat(map).isEmpty();
          map.clear();
          map.put("a", 1L);
          assertThat(map.buckets()).isEqualTo(8);
          assertThatThrownBy(() -> map(ObjectSpace.of(store), 0))
              .isInstanceOf(IllegalArgumentException.class);
        });
    inStore(
        store -> {
          ComposedMap<String, Long> map = map(ObjectSpace.of(store), 100);
          assertThat(map.buckets()).isEqualTo(8);
          assertThat(map).isEqualTo(Map.of("a", 1L));
        });
  }

  /** The transaction aborts; the map that it would have created must not be remembered. */
  @Test
  void aRolledBackCreationDidNotHappen() {
    inStore(
        store -> {
          ComposedMap<String, Long> map = map(ObjectSpace.of(store), 8);
          try (Transaction transaction = store.begin(SERIALISABLE)) {
            map.in(ObjectSpace.of(transaction)).put("a", 1L);
            assertThat(map.in(ObjectSpace.of(transaction)).buckets()).isEqualTo(8);
          }
          assertThat(map.buckets()).isZero();
          map(ObjectSpace.of(store), 3).put("b", 2L);
          assertThat(map.buckets()).isEqualTo(3);
          assertThat(map).isEqualTo(Map.of("b", 2L));
        });
  }

  @Test
  void spreadsKeysOverTheBuckets() {
    int buckets = 50;
    int keys = 5_000;
    long[] counts = new long[buckets];
    for (int i = 0; i < keys; i++) {
      long hash = Permutation.hash(Codec.string().encode("user" + i));
      counts[(int) Long.remainderUnsigned(Permutation.of(hash, 42), buckets)]++;
    }
    for (long count : counts) {
      assertThat(count).isBetween(keys / buckets / 2L, keys / buckets * 2L);
    }
  }

  /**
   * Writers of different buckets do not conflict; a size conflicts with all, a snapshot with none.
   */
  @Test
  void theUnitOfConflictIsTheBucket() {
    inStore(
        store -> {
          ComposedMap<String, Long> map = map(ObjectSpace.of(store), 64);
          map.put("a", 1L);
          CausalToken before = store.snapshot().token();
          try (Transaction one = store.begin(SERIALISABLE);
              Transaction sizing = store.begin(SERIALISABLE)) {
            map.in(ObjectSpace.of(one)).put("a", 2L);
            int size = map.in(ObjectSpace.of(sizing)).size();
            map.in(ObjectSpace.of(sizing)).fastPut("size", (long) size);
            List<String> others =
                Stream.of("b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o")
                    .filter(key -> map.bucketOf(key) != map.bucketOf("a"))
                    .limit(4)
                    .toList();
            others.forEach(other -> map.put(other, 3L));
            one.commit();
            assertThatThrownBy(sizing::commit).isInstanceOf(ConflictException.class);
          }

          assertThat(map.size()).isEqualTo(5);
          assertThat(map.in(ObjectSpace.of(store.at(before)))).isEqualTo(Map.of("a", 1L));
          map.clear();
          assertThat(map).isEmpty();
          assertThat(map.in(ObjectSpace.of(store.at(before))).size()).isEqualTo(1);
        });
  }

  /** Compares it with the JDK's, through splits, removals, checkpoints and a restart. */
  @Test
  void aTreeIsAnOrderedMap() {
    NavigableMap<Long, String> model = new TreeMap<>();
    Random random = new Random(23);
    for (int round = 0; round < 2; round++) {
      inStore(
          store -> {
            ComposedTree<Long, String> tree = tree(ObjectSpace.of(store));
            assertThat(tree).isEqualTo(model);
            for (int i = 0; i < 600; i++) {
              long key = random.nextInt(2_000);
              assertThat(tree.put(key, "v" + i)).isEqualTo(model.put(key, "v" + i));
            }
            for (int i = 0; i < 300; i++) {
              long key = random.nextInt(2_000);
              assertThat(tree.get(key)).isEqualTo(model.get(key));
              assertThat(tree.remove(key)).isEqualTo(model.remove(key));
            }
            assertThat(List.copyOf(tree.entrySet())).isEqualTo(List.copyOf(model.entrySet()));
            assertThat(tree.size()).isEqualTo(model.size());
            assertThat(tree.range(700L, 50))
                .isEqualTo(model.tailMap(700L).entrySet().stream().limit(50).toList());
            store.checkpoint();
          });
    }
    inStore(
        store -> {
          ComposedTree<Long, String> tree = tree(ObjectSpace.of(store));
          CausalToken before = store.snapshot().token();
          for (Long key : List.copyOf(model.keySet())) {
            assertThat(tree.remove(key)).isEqualTo(model.get(key));
          }
          assertThat(tree).isEmpty();
          tree.put(1L, "one");
          assertThat(tree).isEqualTo(Map.of(1L, "one"));
          tree.clear();
          assertThat(tree).isEmpty();
          assertThat(tree.in(ObjectSpace.of(store.at(before)))).isEqualTo(model);
        });
  }

  /** Enough to split inner nodes: three levels. */
  @Test
  void aTreeGrowsAtItsRoot() {
    int keys = ComposedTree.MAX_ENTRIES * ComposedTree.MAX_ENTRIES;
    inStore(
        store -> {
          ComposedTree<Long, String> tree = tree(ObjectSpace.of(store));
          for (int from = 0; from < keys; from += 64) {
            int first = from;
            ObjectSpace.of(store)
                .run(
                    tx -> {
                      for (long key = first; key < first + 64; key++) {
                        tree.in(tx).fastPut(key, "v");
                      }
                    });
          }

          assertThat(tree.size()).isEqualTo(keys);
          assertThat(tree.range(0L, keys)).extracting(Map.Entry::getKey).isSorted();
          assertThat(tree.get(keys - 1L)).isEqualTo("v");
          assertThat(tree.get((long) keys)).isNull();
        });
  }

  @Test
  void rangesOfARangeMapReplaceEachOther() {
    inStore(
        store -> {
          SharedRangeMap<Long, String> map =
              SharedRangeMap.open(
                  ObjectSpace.of(store), "b", "ranges", Codec.int64(), Codec.string());
          Random random = new Random(5);
          String[] model = new String[40];
          for (int i = 0; i < 300; i++) {
            int from = random.nextInt(model.length - 1);
            int until = from + 1 + random.nextInt(model.length - from - 1);
            String value = random.nextInt(4) == 0 ? null : "v" + i;
            if (value == null) {
              map.remove((long) from, (long) until);
            } else {
              map.put((long) from, (long) until, value);
            }
            for (int key = from; key < until; key++) {
              model[key] = value;
            }
            long last = Long.MIN_VALUE;
            for (SharedRangeMap.Range<Long> range : map.asMap().keySet()) {
              assertThat(range.from()).isGreaterThanOrEqualTo(last).isLessThan(range.until());
              last = range.until();
            }
            for (int key = 0; key < model.length; key++) {
              assertThat(map.get((long) key).orElse(null)).isEqualTo(model[key]);
            }
          }
          assertThatThrownBy(() -> map.put(3L, 3L, "x"))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("empty");
          map.clear();
          assertThat(map.asMap()).isEmpty();
        });
  }

  @Test
  void keepsASnapshotUntilItIsRead() {
    CheckpointPolicy keepNothing = CheckpointPolicy.defaults().withRetention(Duration.ZERO);
    try (Store store = Stablecut.open(directory, FAST.withCheckpoints(keepNothing))) {
      ObjectSpace space = ObjectSpace.of(store);
      ComposedMap<String, Long> map = map(space, 4);
      map.put("a", 1L);

      int then =
          space.snapshot(
              snapshot -> {
                map.put("b", 2L);
                store.checkpoint();
                map.put("c", 3L);
                store.checkpoint();
                return map.in(snapshot).size();
              });

      assertThat(then).isEqualTo(1);
      assertThat(map).hasSize(3);
    }
  }

  /** Of equal elements it removes the one that it returned, though earlier ones were removed. */
  @Test
  void anIteratorOfAQueueRemovesTheReturnedElement() {
    inStore(
        store -> {
          SharedList<String> list =
              SharedList.open(ObjectSpace.of(store), "b", "l", Codec.string());
          list.addAll(List.of("a", "gone", "b", "a", "c"));
          Iterator<String> walk = list.asQueue().iterator();
          for (int i = 0; i < 4; i++) {
            walk.next();
            if (i % 2 == 1) {
              walk.remove();
            }
          }

          assertThat(list).containsExactly("a", "b", "c");
        });
  }

  @Test
  void collectionsOfOneObjectHaveLocalViews() {
    inStore(
        store -> {
          ObjectSpace space = ObjectSpace.of(store);
          SharedList<String> list = SharedList.open(space, "b", "l", Codec.string(), View.LOCAL);
          SharedRangeMap<Long, String> ranges =
              SharedRangeMap.open(space, "b", "r", Codec.int64(), Codec.string(), View.LOCAL);
          assertThat(list).isEmpty();
          assertThat(ranges.asMap()).isEmpty();

          SharedList.open(space, "b", "l", Codec.string()).add("a");
          SharedRangeMap.open(space, "b", "r", Codec.int64(), Codec.string()).put(1L, 3L, "b");

          assertThat(list).containsExactly("a");
          assertThat(ranges.get(2L)).contains("b");
        });
  }

  /** A key's bucket differs from store to store. */
  @Test
  void aMapInAnotherStoreBelongsToThatStore() {
    try (Store one = Stablecut.open(directory.resolve("one"), FAST);
        Store other = Stablecut.open(directory.resolve("other"), FAST);
        Transaction foreign = other.begin(SERIALISABLE)) {
      ComposedMap<String, Long> map = map(ObjectSpace.of(one), 8);
      map.put("a", 1L);
      assertThat(map).containsEntry("a", 1L);

      assertThat(map.in(ObjectSpace.of(other))).isEmpty();
      assertThat(map.in(ObjectSpace.of(foreign))).isEmpty();
      for (long i = 0; i < 20; i++) {
        map.in(ObjectSpace.of(other)).put("k" + i, i);
      }
      map.in(ObjectSpace.of(foreign)).put("a", 2L);
      foreign.abort();

      assertThat(map(ObjectSpace.of(other), 3)).hasSize(20).containsEntry("k7", 7L);
      assertThat(map).hasSize(1);
    }
  }
}
