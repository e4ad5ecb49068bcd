package io.github.stablecut.cluster;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.ObjectSpace;
import io.github.stablecut.object.collection.ComposedMap;
import io.github.stablecut.object.collection.ComposedTree;
import io.github.stablecut.object.collection.SharedMap;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.commons.collections4.map.AbstractMapTest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs the map suite of Apache Commons Collections over shared maps of nodes and servers. */
@Tag("long")
@ParameterizedClass
@MethodSource("maps")
class CommonsMapsOfNodesTest extends AbstractMapTest<Map<String, String>, String, String> {
  private static final AtomicInteger NAMES = new AtomicInteger();
  private static final Codec<String> TEXT = Codec.string();

  /** The implementations of a map. */
  enum Kind {
    /** One object for the map. */
    SHARED,
    /** One object per bucket. */
    COMPOSED,
    /** One object per tree node. */
    TREE
  }

  @TempDir private static Path directory;
  private static ServedStores stores;

  @Parameter(0)
  ServedStores.Access access = ServedStores.Access.MEMBER;

  @Parameter(1)
  Kind kind = Kind.SHARED;

  static Stream<Arguments> maps() {
    return Arrays.stream(ServedStores.Access.values())
        .flatMap(access -> Arrays.stream(Kind.values()).map(kind -> Arguments.of(access, kind)));
  }

  @BeforeAll
  static void start() throws Exception {
    stores = new ServedStores(directory);
  }

  @AfterAll
  static void stop() {
    stores.close();
  }

  @Override
  public Map<String, String> makeObject() {
    ObjectSpace space = ObjectSpace.of(stores.of(access));
    String name = "map " + NAMES.incrementAndGet();
    return switch (kind) {
      case SHARED -> SharedMap.open(space, "maps", name, TEXT, TEXT);
      case COMPOSED -> ComposedMap.open(space, "maps", name, 3, TEXT, TEXT);
      case TREE -> ComposedTree.open(space, "maps", name, TEXT, TEXT);
    };
  }

  @Override
  public boolean isAllowNullKey() {
    return false;
  }

  @Override
  public boolean isAllowNullValue() {
    return false;
  }

  @Override
  public boolean isFailFastExpected() {
    return false;
  }
}
