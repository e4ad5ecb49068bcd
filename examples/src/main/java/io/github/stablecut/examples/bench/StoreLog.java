package io.github.stablecut.examples.bench;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/** The whole store: a transaction assigns the body to one of a thousand registers. */
final class StoreLog implements CommitTarget {
  private static final int KEYS = 1_000;

  private final Store store;
  private final List<RegisterKey<Bytes>> keys =
      IntStream.range(0, KEYS)
          .mapToObj(i -> Key.register("bench", "register-" + i, Codec.bytes()))
          .toList();

  StoreLog(Path directory) {
    store = Stablecut.open(directory);
  }

  @Override
  public void commit(byte[] body) {
    var unused =
        store.update(
            keys.get(ThreadLocalRandom.current().nextInt(KEYS)).assign(Bytes.copyOf(body)));
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
