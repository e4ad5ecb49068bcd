package io.github.stablecut.object;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.collection.SharedMap;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.collections4.map.AbstractMapTest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The unchanged suite of Apache Commons Collections for maps, over a shared map. */
class CommonsSharedMapTest extends AbstractMapTest<SharedMap<String, String>, String, String> {
  private static final AtomicInteger NAMES = new AtomicInteger();

  @TempDir private static Path directory;
  private static Store store;

  @BeforeAll
  static void open() {
    store =
        Stablecut.open(
            directory,
            StoreOptions.defaults().withDurability(Durability.periodic(Duration.ofSeconds(1))));
  }

  @AfterAll
  static void close() {
    store.close();
  }

  @Override
  public SharedMap<String, String> makeObject() {
    return SharedMap.open(
        ObjectSpace.of(store),
        "maps",
        "map " + NAMES.incrementAndGet(),
        Codec.string(),
        Codec.string());
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
