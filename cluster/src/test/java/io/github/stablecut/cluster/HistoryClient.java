package io.github.stablecut.cluster;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
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
 * A session whose transactions read and write several objects on any node. Each transaction is
 * recorded and begins after everything that the session has seen. Confined to one thread.
 */
final class HistoryClient {
  /** Sets above this size shrink. */
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

  /** The number of transactions before the session changes its node. */
  int transactionsOnOneNode() {
    return 1 + random.nextInt(3);
  }

  /** A random number below a bound. */
  int randomBelow(int number) {
    return random.nextInt(number);
  }

  /** The point that the session has seen. */
  Optional<CausalToken> seen() {
    return seen;
  }

  private Transaction begin(Store store) {
    TransactionOptions options = TransactionOptions.defaults();
    return store.begin(seen.map(options::after).orElse(options));
  }

  /** Executes a transaction on a node. */
  void transact(Store store, String node, HistoryObjects objects) {
    recorder.record(
        session,
        node,
        (same, recorded) -> {
          try (Transaction transaction = begin(store)) {
            List<Key<?>> some = some(objects);
            List<RecordedOperation> reads = read(transaction, some, recorded);
            if (random.nextInt(10) < 7) {
              write(transaction, objects, reads, recorded);
              if (random.nextInt(4) == 0) {
                read(transaction, some, recorded);
              }
            }
            same.commits();
            seen = Optional.of(transaction.commit());
          }
        });
  }

  /**
   * Reads all objects when the other sessions have ended.
   *
   * @param after the point that the others have seen
   */
  void readFinally(Store store, String node, CausalToken after, List<Key<?>> all) {
    seen = Optional.of(after);
    recorder.recordFinal(
        session,
        node,
        (same, recorded) -> {
          try (Transaction transaction = begin(store)) {
            read(transaction, all, recorded);
            same.commits();
            seen = Optional.of(transaction.commit());
          }
        });
  }

  private List<Key<?>> some(HistoryObjects objects) {
    List<Key<?>> keys = new ArrayList<>(objects.all());
    Collections.shuffle(keys, random);
    // Mostly few: the more partitions, the more often one of them is unreachable.
    return keys.subList(0, 1 + random.nextInt(1 + random.nextInt(keys.size())));
  }

  /** Reads objects together, or in two parts. */
  @CanIgnoreReturnValue
  private List<RecordedOperation> read(
      Transaction transaction, List<Key<?>> keys, Consumer<RecordedOperation> recorded) {
    List<RecordedOperation> reads = new ArrayList<>();
    int cut = random.nextInt(3) == 0 ? random.nextInt(keys.size()) : 0;
    for (List<Key<?>> part : List.of(keys.subList(0, cut), keys.subList(cut, keys.size()))) {
      if (!part.isEmpty()) {
        Values values = transaction.read(part);
        part.forEach(key -> reads.add(HistoryObjects.read(key, values)));
      }
    }
    reads.forEach(recorded);
    return reads;
  }

  private void write(
      Transaction transaction,
      HistoryObjects objects,
      List<RecordedOperation> reads,
      Consumer<RecordedOperation> recorded) {
    List<Update> updates = new ArrayList<>();
    String value = session.transaction();
    int number = 1 + random.nextInt(HistoryObjects.EACH);
    for (int i = 0; i < number; i++) {
      int kind = random.nextInt(3);
      if (kind == 0) {
        recorded.accept(new RegisterWrite(HistoryObjects.name(objects.register(i)), value));
        updates.add(objects.register(i).assign(value));
      } else if (kind == 1) {
        recorded.accept(new SetAdd(HistoryObjects.name(objects.set(i)), value));
        updates.add(objects.set(i).add(value));
        remove(objects, i, reads, recorded).ifPresent(updates::add);
      } else {
        int by = random.nextInt(12) - 3;
        recorded.accept(new CounterIncrement(HistoryObjects.name(objects.counter(i)), by));
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
      Consumer<RecordedOperation> recorded) {
    String name = HistoryObjects.name(objects.set(i));
    for (RecordedOperation read : reads) {
      if (read instanceof RecordedOperation.SetRead found
          && found.key().equals(name)
          && found.values().size() > LARGE_SET) {
        Set<String> values = found.values();
        String element =
            values.stream().sorted().skip(random.nextInt(values.size())).findFirst().orElseThrow();
        recorded.accept(new SetRemove(name, element));
        return Optional.of(objects.set(i).remove(element));
      }
    }
    return Optional.empty();
  }
}
