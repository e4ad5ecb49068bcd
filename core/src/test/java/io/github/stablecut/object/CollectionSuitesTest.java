package io.github.stablecut.object;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.testing.ConcurrentMapTestSuiteBuilder;
import com.google.common.collect.testing.ListTestSuiteBuilder;
import com.google.common.collect.testing.QueueTestSuiteBuilder;
import com.google.common.collect.testing.TestStringListGenerator;
import com.google.common.collect.testing.TestStringMapGenerator;
import com.google.common.collect.testing.TestStringQueueGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.ListFeature;
import com.google.common.collect.testing.features.MapFeature;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.collection.ComposedMap;
import io.github.stablecut.object.collection.ComposedTree;
import io.github.stablecut.object.collection.SharedList;
import io.github.stablecut.object.collection.SharedMap;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import junit.framework.Test;
import junit.framework.TestFailure;
import junit.framework.TestResult;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/**
 * Guava's unchanged suites over collections of objects. Their only missing feature, nulls, is
 * declared.
 */
class CollectionSuitesTest {
  private static final AtomicInteger NAMES = new AtomicInteger();

  @TempDir private static Path directory;
  private static Store store;
  private static ObjectSpace space;

  @BeforeAll
  static void open() {
    store =
        Stablecut.open(
            directory,
            StoreOptions.defaults().withDurability(Durability.periodic(Duration.ofSeconds(1))));
    space = ObjectSpace.of(store);
  }

  @AfterAll
  static void close() {
    store.close();
  }

  private static String name() {
    return "collection " + NAMES.incrementAndGet();
  }

  private static SharedList<String> list() {
    return SharedList.open(space, "lists", name(), Codec.string());
  }

  private static void assertPasses(Test suite, int atLeast) {
    TestResult result = new TestResult();
    suite.run(result);
    for (Enumeration<TestFailure> failures : List.of(result.errors(), result.failures())) {
      if (failures.hasMoreElements()) {
        TestFailure first = failures.nextElement();
        throw new AssertionError(first.toString(), first.thrownException());
      }
    }
    assertThat(result.runCount()).isGreaterThan(atLeast);
  }

  @org.junit.jupiter.api.Test
  void listsAreLists() {
    assertPasses(
        ListTestSuiteBuilder.using(
                new TestStringListGenerator() {
                  @Override
                  protected List<String> create(String[] elements) {
                    SharedList<String> list = list();
                    Collections.addAll(list, elements);
                    return list;
                  }
                })
            .named("shared list")
            .withFeatures(
                CollectionSize.ANY,
                ListFeature.GENERAL_PURPOSE,
                CollectionFeature.SUPPORTS_ITERATOR_REMOVE,
                CollectionFeature.ALLOWS_NULL_QUERIES)
            .createTestSuite(),
        400);
  }

  private static Test queues(String named, Function<SharedList<String>, Queue<String>> view) {
    return QueueTestSuiteBuilder.using(
            new TestStringQueueGenerator() {
              @Override
              protected Queue<String> create(String[] elements) {
                Queue<String> queue = view.apply(list());
                queue.addAll(Arrays.asList(elements));
                return queue;
              }
            })
        .named(named)
        .withFeatures(
            CollectionSize.ANY,
            CollectionFeature.GENERAL_PURPOSE,
            CollectionFeature.KNOWN_ORDER,
            CollectionFeature.ALLOWS_NULL_QUERIES)
        .createTestSuite();
  }

  @org.junit.jupiter.api.Test
  void queuesAreQueues() {
    assertPasses(queues("queue", SharedList::asQueue), 200);
    assertPasses(queues("stack", SharedList::asStack), 200);
  }

  private static Test maps(String named, Function<String, Map<String, String>> maps) {
    return ConcurrentMapTestSuiteBuilder.using(
            new TestStringMapGenerator() {
              @Override
              protected Map<String, String> create(Map.Entry<String, String>[] entries) {
                Map<String, String> map = maps.apply(name());
                for (Map.Entry<String, String> entry : entries) {
                  map.put(entry.getKey(), entry.getValue());
                }
                return map;
              }
            })
        .named(named)
        .withFeatures(
            CollectionSize.ANY,
            MapFeature.GENERAL_PURPOSE,
            MapFeature.ALLOWS_NULL_KEY_QUERIES,
            MapFeature.ALLOWS_NULL_VALUE_QUERIES,
            CollectionFeature.SUPPORTS_ITERATOR_REMOVE)
        .createTestSuite();
  }

  @org.junit.jupiter.api.Test
  void mapsAreConcurrentMaps() {
    assertPasses(
        maps(
            "shared map",
            name -> SharedMap.open(space, "maps", name, Codec.string(), Codec.string())),
        600);
  }

  @org.junit.jupiter.api.Test
  void composedMapsAreConcurrentMaps() {
    assertPasses(
        maps(
            "composed map",
            name -> ComposedMap.open(space, "maps", name, 3, Codec.string(), Codec.string())),
        600);
  }

  @org.junit.jupiter.api.Test
  void composedTreesAreConcurrentMaps() {
    assertPasses(
        maps(
            "composed tree",
            name -> ComposedTree.open(space, "maps", name, Codec.string(), Codec.string())),
        600);
  }
}
