package io.github.stablecut.object;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.collection.SharedList;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.collections4.queue.AbstractQueueTest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The unchanged suite of Apache Commons Collections for queues, over a view of a shared list. */
class CommonsQueueTest extends AbstractQueueTest<String> {
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
  public Queue<String> makeObject() {
    return SharedList.open(
            ObjectSpace.of(store), "lists", "queue " + NAMES.incrementAndGet(), Codec.string())
        .asQueue();
  }

  @Override
  public boolean isNullSupported() {
    return false;
  }

  @Override
  public String[] getFullElements() {
    return strings(getFullNonNullStringElements());
  }

  @Override
  public String[] getOtherElements() {
    return strings(getOtherNonNullStringElements());
  }

  private static String[] strings(Object[] elements) {
    return Arrays.copyOf(elements, elements.length, String[].class);
  }
}
