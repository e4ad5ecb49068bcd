package io.github.stablecut.examples.bench.counter;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.testing.history.HistoryRecorder;
import io.github.stablecut.testing.history.RecordedOperation;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Counters of a store. */
public final class StoreCounters implements CounterTarget {
  private final Store store;
  private final List<CounterKey> keys;
  private final Optional<HistoryRecorder> recorder;

  /** Opens a store with the default options. */
  public StoreCounters(Path directory, int counters) {
    this(directory, counters, 1, Optional.empty());
  }

  public StoreCounters(
      Path directory, int counters, int partitions, Optional<HistoryRecorder> recorder) {
    this.recorder = recorder;
    store = Stablecut.open(directory, StoreOptions.defaults().withPartitions(partitions));
    keys = IntStream.range(0, counters).mapToObj(i -> Key.counter("bench", nameOf(i))).toList();
  }

  public Store store() {
    return store;
  }

  public CounterKey key(int counter) {
    return keys.get(counter);
  }

  @Override
  public void increment(int counter) {
    if (recorder.isEmpty()) {
      incrementStored(counter);
      return;
    }
    recorder
        .get()
        .record(
            (session, told) -> {
              told.accept(new RecordedOperation.CounterIncrement(nameOf(counter), 1));
              incrementStored(counter);
            });
  }

  private void incrementStored(int counter) {
    store.update(keys.get(counter).increment());
  }

  @Override
  public long read(int counter) {
    if (recorder.isEmpty()) {
      return store.read(keys.get(counter));
    }
    long[] value = new long[1];
    recorder
        .get()
        .record(
            (session, told) -> {
              value[0] = store.read(keys.get(counter));
              told.accept(new RecordedOperation.CounterRead(nameOf(counter), value[0]));
            });
    return value[0];
  }

  private static String nameOf(int counter) {
    return "counter-" + counter;
  }

  @Override
  public void close() {
    store.close();
  }
}
