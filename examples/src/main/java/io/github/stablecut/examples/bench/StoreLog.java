package io.github.stablecut.examples.bench;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** The whole store: a transaction updates one of a thousand objects. */
final class StoreLog implements CommitTarget {
  private static final int KEYS = 1_000;

  private final Store store;

  /** The update of an object, by its number, that a body stands for. */
  private final BiFunction<Integer, byte[], Update> update;

  private StoreLog(Path directory, BiFunction<Integer, byte[], Update> update) {
    this.store = Stablecut.open(directory);
    this.update = update;
  }

  /** A transaction assigns the body to a register. */
  static StoreLog registers(Path directory) {
    var keys = keys(i -> Key.register("bench", "register-" + i, Codec.bytes()));
    return new StoreLog(directory, (i, body) -> keys.get(i).assign(Bytes.copyOf(body)));
  }

  /** A transaction increments a counter, whatever the body is. */
  static StoreLog counters(Path directory) {
    var keys = keys(i -> Key.counter("bench", "counter-" + i));
    return new StoreLog(directory, (i, body) -> keys.get(i).increment());
  }

  private static <K> List<K> keys(IntFunction<K> key) {
    return IntStream.range(0, KEYS).mapToObj(key).toList();
  }

  @Override
  public void commit(byte[] body) {
    var unused = store.update(update.apply(ThreadLocalRandom.current().nextInt(KEYS), body));
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
