package io.github.stablecut.examples.bench.commit;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.journal.SegmentLayout;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** The entire store: a transaction updates one of a thousand objects. */
public final class StoreLog implements CommitTarget {
  private static final int KEYS = 1_000;

  private final Store store;

  /** Creates the update of an object, given by its number, from a body. */
  private final BiFunction<Integer, byte[], Update> update;

  private StoreLog(Store store, BiFunction<Integer, byte[], Update> update) {
    this.store = store;
    this.update = update;
  }

  /** Opens a store whose transactions assign the body to a register. */
  public static StoreLog registers(Path directory) {
    return registers(Stablecut.open(directory));
  }

  /** Like {@link #registers(Path)}, with plain journal files. */
  public static StoreLog registersInFiles(Path directory) {
    String layout = System.getProperty(SegmentLayout.PROPERTY);
    System.setProperty(SegmentLayout.PROPERTY, "files");
    try {
      return registers(directory);
    } finally {
      if (layout == null) {
        System.clearProperty(SegmentLayout.PROPERTY);
      } else {
        System.setProperty(SegmentLayout.PROPERTY, layout);
      }
    }
  }

  private static StoreLog registers(Store store) {
    var keys = keys(i -> Key.register("bench", "register-" + i, Codec.bytes()));
    return new StoreLog(store, (i, body) -> keys.get(i).assign(Bytes.copyOf(body)));
  }

  /** Opens a store whose transactions increment a counter, whatever the body. */
  public static StoreLog counters(Path directory) {
    var keys = keys(i -> Key.counter("bench", "counter-" + i));
    return new StoreLog(Stablecut.open(directory), (i, body) -> keys.get(i).increment());
  }

  private static <K> List<K> keys(IntFunction<K> key) {
    return IntStream.range(0, KEYS).mapToObj(key).toList();
  }

  @Override
  public void commit(byte[] body) {
    store.update(update.apply(ThreadLocalRandom.current().nextInt(KEYS), body));
  }

  @Override
  public long syncs() {
    return store.status().journal().syncs();
  }

  @Override
  public void close() {
    store.close();
  }
}
