package io.github.stablecut.cluster;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.ObjectSpace;
import io.github.stablecut.object.collection.SharedList;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.collections4.queue.AbstractQueueTest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs the queue suite of Apache Commons Collections over shared lists of nodes and servers. */
@Tag("long")
@ParameterizedClass
@EnumSource
class CommonsQueuesOfNodesTest extends AbstractQueueTest<String> {
  private static final AtomicInteger NAMES = new AtomicInteger();

  @TempDir private static Path directory;
  private static ServedStores stores;

  @Parameter ServedStores.Access access = ServedStores.Access.MEMBER;

  @BeforeAll
  static void start() throws Exception {
    stores = new ServedStores(directory);
  }

  @AfterAll
  static void stop() {
    stores.close();
  }

  @Override
  public Queue<String> makeObject() {
    return SharedList.open(
            ObjectSpace.of(stores.of(access)),
            "lists",
            "queue " + NAMES.incrementAndGet(),
            Codec.string())
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
