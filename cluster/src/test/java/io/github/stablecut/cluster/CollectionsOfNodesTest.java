package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.testing.ConcurrentMapTestSuiteBuilder;
import com.google.common.collect.testing.Helpers;
import com.google.common.collect.testing.ListTestSuiteBuilder;
import com.google.common.collect.testing.QueueTestSuiteBuilder;
import com.google.common.collect.testing.TestStringListGenerator;
import com.google.common.collect.testing.TestStringMapGenerator;
import com.google.common.collect.testing.TestStringQueueGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.Feature;
import com.google.common.collect.testing.features.ListFeature;
import com.google.common.collect.testing.features.MapFeature;
import com.google.common.collect.testing.testers.CollectionIteratorTester;
import com.google.common.collect.testing.testers.ListListIteratorTester;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.ObjectSpace;
import io.github.stablecut.object.collection.ComposedMap;
import io.github.stablecut.object.collection.ComposedTree;
import io.github.stablecut.object.collection.SharedList;
import io.github.stablecut.object.collection.SharedMap;
import java.lang.reflect.Method;
import java.nio.file.Path;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs Guava's suites over collections of objects on a node, an observer, and stores connected to a
 * server and to a cluster. The full suites are long: most of the time is for requests.
 */
final class CollectionsOfNodesTest {
  private static final AtomicInteger NAMES = new AtomicInteger();

  /** Test all short sequences of an iterator's operations, each on a collection of its own. */
  private static final List<Method> ITERATORS =
      List.of(
          ListListIteratorTester.getListIteratorFullyModifiableMethod(),
          Helpers.getMethod(
              CollectionIteratorTester.class, "testIterator_knownOrderRemoveSupported"),
          Helpers.getMethod(
              CollectionIteratorTester.class, "testIterator_unknownOrderRemoveSupported"));

  private static final Codec<String> TEXT = Codec.string();

  @TempDir private static Path directory;
  private static ServedStores stores;

  @BeforeAll
  static void start() throws Exception {
    stores = new ServedStores(directory);
  }

  @AfterAll
  static void stop() {
    stores.close();
  }

  private static String name() {
    return "collection " + NAMES.incrementAndGet();
  }

  private static void assertPasses(Test suite) {
    TestResult result = new TestResult();
    suite.run(result);
    for (Enumeration<TestFailure> failures : List.of(result.errors(), result.failures())) {
      if (failures.hasMoreElements()) {
        TestFailure first = failures.nextElement();
        throw new AssertionError(first.toString(), first.thrownException());
      }
    }
    assertThat(result.runCount()).isGreaterThan(50);
  }

  /** The tests that the short suite leaves to the full one. */
  private static List<Method> tooLong(Feature<?> size) {
    return size == CollectionSize.ANY ? List.of() : ITERATORS;
  }

  private static Test lists(Store store, CollectionSize size) {
    return ListTestSuiteBuilder.using(
            new TestStringListGenerator() {
              @Override
              protected List<String> create(String[] elements) {
                SharedList<String> list =
                    SharedList.open(ObjectSpace.of(store), "lists", name(), TEXT);
                Collections.addAll(list, elements);
                return list;
              }
            })
        .named("list")
        .withFeatures(
            size,
            ListFeature.GENERAL_PURPOSE,
            CollectionFeature.SUPPORTS_ITERATOR_REMOVE,
            CollectionFeature.ALLOWS_NULL_QUERIES)
        .suppressing(tooLong(size))
        .createTestSuite();
  }

  private static Test queues(
      Store store, Function<SharedList<String>, Queue<String>> view, CollectionSize size) {
    return QueueTestSuiteBuilder.using(
            new TestStringQueueGenerator() {
              @Override
              protected Queue<String> create(String[] elements) {
                Queue<String> queue =
                    view.apply(SharedList.open(ObjectSpace.of(store), "lists", name(), TEXT));
                queue.addAll(Arrays.asList(elements));
                return queue;
              }
            })
        .named("queue")
        .withFeatures(
            size,
            CollectionFeature.GENERAL_PURPOSE,
            CollectionFeature.KNOWN_ORDER,
            CollectionFeature.ALLOWS_NULL_QUERIES)
        .suppressing(tooLong(size))
        .createTestSuite();
  }

  private static Test maps(Function<String, Map<String, String>> maps, Feature<?> size) {
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
        .named("map")
        .withFeatures(
            size,
            MapFeature.GENERAL_PURPOSE,
            MapFeature.ALLOWS_NULL_KEY_QUERIES,
            MapFeature.ALLOWS_NULL_VALUE_QUERIES,
            CollectionFeature.SUPPORTS_ITERATOR_REMOVE)
        .suppressing(tooLong(size))
        .createTestSuite();
  }

  private static Map<String, String> shared(Store store, String name) {
    return SharedMap.open(ObjectSpace.of(store), "maps", name, TEXT, TEXT);
  }

  private static Map<String, String> composed(Store store, String name) {
    return ComposedMap.open(ObjectSpace.of(store), "maps", name, 3, TEXT, TEXT);
  }

  private static Map<String, String> tree(Store store, String name) {
    return ComposedTree.open(ObjectSpace.of(store), "maps", name, TEXT, TEXT);
  }

  private static void assertPass(ServedStores.Access access, CollectionSize size) {
    Store store = stores.of(access);
    assertPasses(lists(store, size));
    assertPasses(queues(store, SharedList::asQueue, size));
    assertPasses(queues(store, SharedList::asStack, size));
    assertPasses(maps(name -> shared(store, name), size));
    assertPasses(maps(name -> composed(store, name), size));
    assertPasses(maps(name -> tree(store, name), size));
  }

  @ParameterizedTest
  @EnumSource
  void collectionsOfOneElementFulfilTheirContracts(ServedStores.Access access) {
    assertPass(access, CollectionSize.ONE);
  }

  @Tag("long")
  @ParameterizedTest
  @EnumSource
  void collectionsFulfilTheirContracts(ServedStores.Access access) {
    assertPass(access, CollectionSize.ANY);
  }
}
