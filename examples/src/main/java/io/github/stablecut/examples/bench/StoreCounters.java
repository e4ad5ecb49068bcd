package io.github.stablecut.examples.bench;

import io.github.stablecut.CounterKey;
import io.github.stablecut.Key;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** Counters of a store, with its default options. */
final class StoreCounters implements CounterTarget {
  private final Store store;
  private final List<CounterKey> keys;

  StoreCounters(Path directory, int counters) {
    store = Stablecut.open(directory);
    keys =
        IntStream.range(0, counters).mapToObj(i -> Key.counter("bench", "counter-" + i)).toList();
  }

  Store store() {
    return store;
  }

  CounterKey key(int counter) {
    return keys.get(counter);
  }

  @Override
  public void increment(int counter) {
    var unused = store.update(keys.get(counter).increment());
  }

  @Override
  public long read(int counter) {
    return store.read(keys.get(counter));
  }

  @Override
  public void close() {
    store.close();
  }
}
