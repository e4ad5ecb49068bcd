package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Scan;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.internal.transaction.routing.PartitionFiles;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.CounterMapKey;
import io.github.stablecut.key.ExpiringKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ListKey;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.RecursiveMapKey;
import io.github.stablecut.key.TextKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.statistics.Statistics;

/**
 * Transactions that certify their reads and writes are serializable: random interleavings of
 * several, on few objects, with queries of all kinds. The committed ones are executed again on
 * another store, one after the other in commit order: every query has the same answer there, and in
 * the end all objects are the same.
 */
final class SerializableProperties {
  private static final int SLOTS = 3;
  private static final int SMALL = 4;

  private static final CounterKey COUNTER = Key.counter("b", "counter");
  private static final AddWinsSetKey<String> SET = Key.addWinsSet("b", "set", Codec.string());
  private static final CounterMapKey<String> COUNTS = Key.counterMap("b", "counts", Codec.string());
  private static final ListKey<String> LIST = Key.list("b", "list", Codec.string());
  private static final TextKey TEXT = Key.text("b", "text");
  private static final RecursiveMapKey MAP = Key.map("b", "map");
  private static final AddWinsSetKey<String> INNER_SET = MAP.addWinsSet("set", Codec.string());
  private static final ExpiringKey<AddWinsSetKey<String>> EXPIRING =
      Key.expiring(Key.addWinsSet("b", "expiring", Codec.string()));

  private static final List<Key<?>> KEYS =
      List.of(COUNTER, SET, COUNTS, LIST, TEXT, EXPIRING.object(), EXPIRING);

  /** A step of a history, by one of the open transactions. */
  sealed interface Step {
    /** Executes one of the queries. */
    record Ask(int slot, int what, int value) implements Step {}

    /** Scans a range. */
    record ScanRange(int slot, int what, int value) implements Step {}

    /** Executes one of the updates. */
    record Execute(int slot, int what, int value) implements Step {}

    /** Commits. */
    record Commit(int slot) implements Step {}

    /** Executes an uncertified update. */
    record Blind(int what, int value) implements Step {}

    /** Makes a checkpoint. */
    record Checkpoint() implements Step {}
  }

  @Provide
  Arbitrary<List<Step>> histories() {
    Arbitrary<Integer> slot = Arbitraries.integers().between(0, SLOTS - 1);
    Arbitrary<Integer> what = Arbitraries.integers().between(0, 99);
    Arbitrary<Integer> small = Arbitraries.integers().between(0, SMALL - 1);
    return Arbitraries.<Step>frequencyOf(
            Tuple.of(6, Combinators.combine(slot, what, small).as(Step.Ask::new)),
            Tuple.of(2, Combinators.combine(slot, what, small).as(Step.ScanRange::new)),
            Tuple.of(6, Combinators.combine(slot, what, small).as(Step.Execute::new)),
            Tuple.of(5, slot.map(Step.Commit::new)),
            Tuple.of(1, Combinators.combine(what, small).as(Step.Blind::new)),
            Tuple.of(1, Arbitraries.create(Step.Checkpoint::new)))
        .list()
        .ofMinSize(10)
        .ofMaxSize(60);
  }

  private static Query<?> query(int what, int value) {
    String element = "e" + value;
    List<Query<?>> all =
        List.of(
            SET.contains(element),
            SET.size(),
            SET.firstPage(1 + value),
            SET.pageAfter(element, 2),
            SET.pageBefore(element, 1),
            SET,
            COUNTS.get(element),
            COUNTS.contains(element),
            COUNTS.lastPage(1),
            COUNTS.pageAfter(element, 1),
            MAP.counter(element),
            MAP.contains(MAP.counter(element)),
            MAP.size(),
            INNER_SET.contains(element),
            INNER_SET.firstPage(1),
            LIST.get(value),
            LIST.slice(1, 3),
            TEXT.length(),
            TEXT.slice(0, 2),
            EXPIRING.object().contains(element),
            EXPIRING.object().firstPage(1),
            COUNTER);
    return all.get(what % all.size());
  }

  private static Update update(int what, int value) {
    String element = "e" + value;
    List<Update> all =
        List.of(
            SET.add(element),
            SET.remove(element),
            SET.add(element),
            SET.clear(),
            COUNTS.increment(element),
            COUNTS.increment(element),
            MAP.counter(element).increment(),
            MAP.remove(MAP.counter(element)),
            INNER_SET.add(element),
            INNER_SET.remove(element),
            MAP.remove(INNER_SET),
            LIST.insert(0, element),
            TEXT.insert(0, element),
            EXPIRING.object().add(element),
            EXPIRING.object().remove(element),
            EXPIRING.expireAt(Instant.EPOCH),
            EXPIRING.persist(),
            Key.counter("range", "k" + value).increment(),
            Key.counter("range", "k" + value).increment(),
            Key.counter("range", "k" + value).decrement(1),
            Key.addWinsSet("range", "s" + value, Codec.string()).add("x"),
            COUNTER.increment());
    return all.get(what % all.size());
  }

  /** A scan of the objects in the range of another bucket. */
  private static ScanOptions scan(int what, int value) {
    ScanOptions all = ScanOptions.bucket("range");
    List<ScanOptions> options =
        List.of(
            all,
            all.limit(1 + value),
            all.descending().limit(1),
            all.from("k" + value),
            all.above("k" + value).limit(2),
            all.until("k" + value).descending());
    return options.get(what % options.size());
  }

  private static List<String> found(Transaction transaction, ScanOptions options) {
    try (Scan scan = transaction.scan(options)) {
      return scan.stream().map(object -> object.key() + "=" + object.value()).toList();
    }
  }

  /** An executed action of a transaction: a query with its answer, or updates of an object. */
  private record ExecutedAction(
      String what,
      Function<Transaction, Object> question,
      Object answer,
      Optional<Key<?>> key,
      List<Update> updates) {}

  /** An open transaction. */
  private record OpenTransaction(Transaction transaction, List<ExecutedAction> done) {
    void ask(String what, Function<Transaction, Object> question, Optional<Key<?>> key) {
      done.add(new ExecutedAction(what, question, question.apply(transaction), key, List.of()));
    }
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void committedTransactionsHaveOneOrder(
      @ForAll("histories") List<Step> history,
      @ForAll boolean hasSeveralPartitions,
      @ForAll boolean keepsEffects) {
    StoreOptions options =
        StoreOptions.defaults()
            .withExecutor(Runnable::run)
            .withLimits(keepsEffects ? LossyDisk.LIMITS : LossyDisk.LIMITS.withEffectBytes(0))
            .withCheckpoints(CheckpointPolicy.byCall());
    try (EmbeddedStore store = open(hasSeveralPartitions ? SLOTS : 1, options);
        EmbeddedStore serial = LossyDisk.empty().open(options)) {
      Run run = new Run(store, serial);
      history.forEach(run::take);
      run.end();
      for (Key<?> key : KEYS) {
        assertThat((Object) store.read(key)).as("%s", key).isEqualTo(serial.read(key));
      }
      assertThat(store.read(MAP)).isEqualTo(serial.read(MAP));
      assertThat(found(store.begin(), scan(0, 0))).isEqualTo(found(serial.begin(), scan(0, 0)));
      Statistics.label("conflicts").collect(run.conflicts > 0);
      Statistics.label("shared objects")
          .collect(run.shared > 0)
          .coverage(coverage -> coverage.check(true).percentage(share -> share > 4));
    }
  }

  private static EmbeddedStore open(int partitions, StoreOptions options) {
    return StoreOpening.open(
        1,
        IntStream.range(0, partitions)
            .mapToObj(number -> LossyDisk.empty())
            .map(disk -> new PartitionFiles(disk.journal(), disk.checkpoints()))
            .toList(),
        options);
  }

  private static final class Run {
    private final Store store;
    private final Store serial;
    private final Map<Integer, OpenTransaction> open = new HashMap<>();
    private int conflicts;

    /** The number of commits although one of their objects had changed since their snapshot. */
    private int shared;

    Run(Store store, Store serial) {
      this.store = store;
      this.serial = serial;
    }

    void take(Step step) {
      if (step instanceof Step.Ask ask) {
        OpenTransaction in = in(ask.slot());
        Query<?> query = query(ask.what(), ask.value());
        in.ask(
            query.toString(), transaction -> transaction.read(query), Optional.of(query.target()));
      } else if (step instanceof Step.ScanRange range) {
        ScanOptions options = scan(range.what(), range.value());
        in(range.slot())
            .ask(options.toString(), transaction -> found(transaction, options), Optional.empty());
      } else if (step instanceof Step.Execute execute) {
        OpenTransaction in = in(execute.slot());
        Update update = update(execute.what(), execute.value());
        in.transaction.update(update);
        in.done.add(
            new ExecutedAction("", again -> "", "", Optional.of(update.key()), List.of(update)));
      } else if (step instanceof Step.Commit commit && open.containsKey(commit.slot())) {
        commit(open.remove(commit.slot()));
      } else if (step instanceof Step.Blind blind) {
        Update update = update(blind.what(), blind.value());
        store.update(update);
        serial.update(update);
      } else if (step instanceof Step.Checkpoint) {
        store.checkpoint();
      }
    }

    private OpenTransaction in(int slot) {
      return open.computeIfAbsent(
          slot,
          key ->
              new OpenTransaction(
                  store.begin(TransactionOptions.defaults().certify(Certification.READS_WRITES)),
                  new ArrayList<>()));
    }

    private void commit(OpenTransaction ended) {
      boolean isReadOnly = ended.done.stream().allMatch(done -> done.updates.isEmpty());
      if (isReadOnly) {
        // It is serialized at its snapshot, which may be long ago.
        ended.transaction.commit();
        return;
      }
      boolean hasChanged =
          ended.done.stream()
              .flatMap(done -> done.key.stream())
              .anyMatch(key -> isChanged(ended.transaction, key));
      try {
        ended.transaction.commit();
      } catch (ConflictException e) {
        conflicts++;
        return;
      }
      shared += hasChanged ? 1 : 0;
      try (Transaction again = serial.begin()) {
        for (ExecutedAction done : ended.done) {
          if (done.updates.isEmpty()) {
            assertThat(done.question.apply(again)).as(done.what).isEqualTo(done.answer);
          } else {
            again.update(done.updates.get(0));
          }
        }
        again.commit();
      }
    }

    private boolean isChanged(Transaction transaction, Key<?> key) {
      return !store.at(transaction.snapshot()).read(key).equals(store.read(key));
    }

    void end() {
      List.copyOf(open.values()).forEach(this::commit);
    }
  }
}
