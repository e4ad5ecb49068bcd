package io.github.stablecut.cluster;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.Values;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.testing.history.HistoryRecorder;
import io.github.stablecut.testing.history.RecordedOperation;
import io.github.stablecut.testing.history.RecordedOperation.CounterIncrement;
import io.github.stablecut.testing.history.RecordedOperation.RegisterWrite;
import io.github.stablecut.testing.history.RecordedOperation.SetAdd;
import io.github.stablecut.testing.history.RecordedOperation.SetRemove;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A session: transactions that read and write several objects, one after the other, each recorded,
 * on any node; it brings with it what it has seen. Confined to one thread.
 */
final class HistoryClient {
  /** A set that is larger than this shrinks. */
  private static final int LARGE_SET = 6;

  private final HistoryRecorder recorder;
  private final HistoryRecorder.Session session;
  private final Random random;
  private Optional<CausalToken> seen = Optional.empty();

  HistoryClient(HistoryRecorder recorder, String name, long seed) {
    this.recorder = recorder;
    this.session = recorder.open(name);
    this.random = new Random(seed);
  }

  /** How many transactions to make before it goes to another node. */
  int stay() {
    return 1 + random.nextInt(3);
  }

  /** Any of so many. */
  int any(int number) {
    return random.nextInt(number);
  }

  /** What it has seen. */
  Optional<CausalToken> seen() {
    return seen;
  }

  private Transaction begin(Store store) {
    TransactionOptions options = TransactionOptions.defaults();
    return store.begin(seen.map(options::after).orElse(options));
  }

  /** Makes a transaction on a node. */
  void transact(Store store, String node, HistoryObjects objects) {
    recorder.record(
        session,
        node,
        (same, told) -> {
          try (Transaction transaction = begin(store)) {
            List<Key<?>> some = some(objects);
            List<RecordedOperation> reads = read(transaction, some, told);
            if (random.nextInt(10) < 7) {
              write(transaction, objects, reads, told);
              if (random.nextInt(4) == 0) {
                var unused = read(transaction, some, told);
              }
            }
            same.commits();
            seen = Optional.of(transaction.commit());
          }
        });
  }

  /**
   * Reads all, when the others have ended.
   *
   * @param after what all others have seen
   */
  void readFinally(Store store, String node, CausalToken after, List<Key<?>> all) {
    seen = Optional.of(after);
    recorder.recordFinal(
        session,
        node,
        (same, told) -> {
          try (Transaction transaction = begin(store)) {
            var unused = read(transaction, all, told);
            same.commits();
            seen = Optional.of(transaction.commit());
          }
        });
  }

  private List<Key<?>> some(HistoryObjects objects) {
    List<Key<?>> keys = new ArrayList<>(objects.all());
    Collections.shuffle(keys, random);
    // Mostly few: the more partitions, the more often one of them is away.
    return keys.subList(0, 1 + random.nextInt(1 + random.nextInt(keys.size())));
  }

  /** Reads objects together, or one part after the other. */
  private List<RecordedOperation> read(
      Transaction transaction, List<Key<?>> keys, Consumer<RecordedOperation> told) {
    List<RecordedOperation> reads = new ArrayList<>();
    int cut = random.nextInt(3) == 0 ? random.nextInt(keys.size()) : 0;
    for (List<Key<?>> part : List.of(keys.subList(0, cut), keys.subList(cut, keys.size()))) {
      if (!part.isEmpty()) {
        Values values = transaction.read(part);
        part.forEach(key -> reads.add(HistoryObjects.read(key, values)));
      }
    }
    reads.forEach(told);
    return reads;
  }

  private void write(
      Transaction transaction,
      HistoryObjects objects,
      List<RecordedOperation> reads,
      Consumer<RecordedOperation> told) {
    List<Update> updates = new ArrayList<>();
    String value = session.transaction();
    int number = 1 + random.nextInt(HistoryObjects.EACH);
    for (int i = 0; i < number; i++) {
      int kind = random.nextInt(3);
      if (kind == 0) {
        told.accept(new RegisterWrite(HistoryObjects.name(objects.register(i)), value));
        updates.add(objects.register(i).assign(value));
      } else if (kind == 1) {
        told.accept(new SetAdd(HistoryObjects.name(objects.set(i)), value));
        updates.add(objects.set(i).add(value));
        remove(objects, i, reads, told).ifPresent(updates::add);
      } else {
        int by = random.nextInt(12) - 3;
        told.accept(new CounterIncrement(HistoryObjects.name(objects.counter(i)), by));
        updates.add(objects.counter(i).increment(by));
      }
    }
    transaction.update(updates.toArray(Update[]::new));
  }

  /** Removes an element that was read, if there are many. */
  private Optional<Update> remove(
      HistoryObjects objects,
      int i,
      List<RecordedOperation> reads,
      Consumer<RecordedOperation> told) {
    String name = HistoryObjects.name(objects.set(i));
    for (RecordedOperation read : reads) {
      if (read instanceof RecordedOperation.SetRead found
          && found.key().equals(name)
          && found.values().size() > LARGE_SET) {
        Set<String> values = found.values();
        String element =
            values.stream().sorted().skip(random.nextInt(values.size())).findFirst().orElseThrow();
        told.accept(new SetRemove(name, element));
        return Optional.of(objects.set(i).remove(element));
      }
    }
    return Optional.empty();
  }
}
