package io.github.stablecut.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.object.collection.SharedMap;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transactions over objects. Scenarios of CorfuDB's tests carry the names of these. */
class ObjectTransactionsTest {
  private static final StoreOptions FAST =
      StoreOptions.defaults().withDurability(Durability.periodic(Duration.ofSeconds(1)));
  private static final TransactionOptions SERIALISABLE =
      TransactionOptions.defaults().certify(Certification.READS_WRITES);
  private static final int THREADS = 16;
  private static final int ROUNDS = 40;
  private static final long DONE = (long) THREADS * ROUNDS;

  @TempDir private Path directory;

  private void inStore(Consumer<Store> test) {
    try (Store store = Stablecut.open(directory, FAST)) {
      test.accept(store);
    }
  }

  private static SharedMap<String, Long> map(ObjectSpace space, String name) {
    return SharedMap.open(space, "maps", name, Codec.string(), Codec.int64());
  }

  private static void inThreads(int count, Consumer<Integer> body) {
    List<Throwable> failures = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = i;
      Thread thread =
          new Thread(
              () -> {
                try {
                  body.accept(number);
                } catch (RuntimeException | Error e) {
                  synchronized (failures) {
                    failures.add(e);
                  }
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    assertThat(failures).isEmpty();
  }

  @Test
  void objectsAndCrdtsChangeInOneTransaction() {
    CounterKey sold = Key.counter("shop", "sold");
    inStore(
        store -> {
          ObjectSpace space = ObjectSpace.of(store);
          SharedObject<Stock> stock = space.open("shop", "stock", Stock.TYPE);
          stock.call(Stock.PUT, "pen");
          for (int i = 0; i < 2; i++) {
            space.run(
                tx -> {
                  if (stock.in(tx).call(Stock.TAKE, "pen")) {
                    tx.update(sold.increment());
                    assertThat(tx.read(sold)).isEqualTo(1);
                    assertThat(stock.in(tx).get(Stock::size)).isZero();
                    assertThat(stock.get(Stock::size)).isEqualTo(1);
                  }
                });
          }

          assertThat(store.read(sold)).isEqualTo(1);
          assertThat(stock.get(Stock::size)).isZero();
        });
  }

  /** An aborted transaction writes nothing to a log. */
  @Test
  void anAbortedTransactionLeavesNothing() {
    inStore(
        store -> {
          SharedMap<String, Long> map = map(ObjectSpace.of(store), "m");
          map.put("a", 1L);
          try (Transaction slow = store.begin(SERIALISABLE)) {
            SharedMap<String, Long> seen = map.in(ObjectSpace.of(slow));
            seen.put("b", seen.getOrDefault("a", 0L));
            map.put("a", 2L);
            assertThat(seen.get("a")).isEqualTo(1);
            assertThatThrownBy(slow::commit).isInstanceOf(ConflictException.class);
          }

          assertThat(map).isEqualTo(Map.of("a", 2L));
          assertThat(map.object().position()).isEqualTo(2);
        });
  }

  /** Even if its transaction certifies nothing. */
  @Test
  void aCallWithAResultIsCertified() {
    inStore(
        store -> {
          SharedMap<String, Long> map = map(ObjectSpace.of(store), "m");
          try (Transaction slow = store.begin()) {
            assertThat(map.in(ObjectSpace.of(slow)).put("a", 1L)).isNull();
            map.fastPut("a", 2L);
            assertThatThrownBy(slow::commit).isInstanceOf(ConflictException.class);
          }
          assertThat(map).isEqualTo(Map.of("a", 2L));
        });
  }

  /** TXConflictScenariosTest: blind writes of two transactions. */
  @Test
  void blindCallsDoNotConflict() {
    inStore(
        store -> {
          SharedMap<String, Long> map = map(ObjectSpace.of(store), "m");
          try (Transaction one = store.begin(SERIALISABLE);
              Transaction other = store.begin(SERIALISABLE)) {
            map.in(ObjectSpace.of(one)).fastPut("a", 1L);
            map.in(ObjectSpace.of(other)).fastPut("a", 2L);
            other.commit();
            one.commit();
          }
          assertThat(map).isEqualTo(Map.of("a", 1L));
        });
  }

  /** OptimisticTransactionContextTest: nested transactions, of which the inner one aborts. */
  @Test
  void anInnerTransactionAbortsAndTheOuterCommits() {
    inStore(
        store -> {
          ObjectSpace space = ObjectSpace.of(store);
          SharedMap<String, Long> map = map(space, "m");
          map.put("before", 0L);
          space.run(
              outer -> {
                map.in(outer).put("outer", 1L);
                assertThatThrownBy(
                        () ->
                            outer.run(
                                inner -> {
                                  assertThat(map.in(inner).keySet())
                                      .containsExactly("before", "outer");
                                  map.in(inner).put("inner", 2L);
                                  map.in(inner).remove("outer");
                                  throw new IllegalStateException("changed my mind");
                                }))
                    .hasMessage("changed my mind");
                assertThat(map.in(outer).keySet()).containsExactly("before", "outer");
                outer.run(inner -> map.in(inner).put("second", 3L));
              });

          assertThat(map).isEqualTo(Map.of("before", 0L, "outer", 1L, "second", 3L));
        });
  }

  /** Protocol 52: the nested transaction has the snapshot of the outermost one. */
  @Test
  void aNestedTransactionSeesTheSnapshotOfTheOutermost() {
    inStore(
        store -> {
          SharedMap<String, Long> map = map(ObjectSpace.of(store), "m");
          SharedMap<String, Long> other = map(ObjectSpace.of(store), "other");
          map.put("x", 1L);
          try (Transaction outer = store.begin(SERIALISABLE)) {
            map.put("x", 2L);
            long seen =
                ObjectSpace.of(outer).transact(inner -> map.in(inner).getOrDefault("x", 0L));
            assertThat(seen).isEqualTo(1);
            other.in(ObjectSpace.of(outer)).fastPut("seen", seen);
            // The inner one's reads are certified.
            assertThatThrownBy(outer::commit).isInstanceOf(ConflictException.class);
          }
        });
  }

  /** SnapshotTransactionContextTest. */
  @Test
  void snapshotsNeverConflict() {
    inStore(
        store -> {
          ObjectSpace space = ObjectSpace.of(store);
          SharedMap<String, Long> one = map(space, "one");
          SharedMap<String, Long> other = map(space, "other");
          one.put("k", 1L);
          other.put("k", 1L);
          List<Long> seen =
              space.snapshot(
                  then -> {
                    long before = one.in(then).getOrDefault("k", 0L);
                    one.put("k", 2L);
                    other.put("k", 2L);
                    return List.of(before, other.in(then).getOrDefault("k", 0L));
                  });

          assertThat(seen).containsExactly(1L, 1L);
          try (Transaction reading = store.begin(SERIALISABLE)) {
            assertThat(one.in(ObjectSpace.of(reading)).get("k")).isEqualTo(2);
            one.put("k", 3L);
            reading.commit(); // nothing was written: nothing is certified
          }
        });
  }

  @Test
  void aSnapshotInATransactionOnlyReads() {
    inStore(
        store -> {
          ObjectSpace space = ObjectSpace.of(store);
          SharedMap<String, Long> map = map(space, "m");
          map.put("k", 1L);

          space.run(
              inside -> {
                map.in(inside).put("k", 2L);
                long seen =
                    inside.snapshot(
                        then -> {
                          SharedMap<String, Long> there = map.in(then);
                          assertThatThrownBy(() -> there.put("k", 3L))
                              .isInstanceOf(UnsupportedOperationException.class)
                              .hasMessageContaining("objects in a snapshot are read-only");
                          assertThatThrownBy(() -> then.run(nested -> map.in(nested).put("k", 4L)))
                              .isInstanceOf(UnsupportedOperationException.class);
                          return there.getOrDefault("k", 0L);
                        });
                assertThat(seen).isEqualTo(2);
              });

          assertThat(map.get("k")).isEqualTo(2);
        });
  }

  /**
   * Protocol 51: threads read, modify and write in certified transactions. The log shows that their
   * writes are one serial run.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void concurrentWritesAreASerialRun(boolean inTransactions) {
    inStore(
        store -> {
          ObjectSpace space = ObjectSpace.of(store);
          SharedMap<String, Long> map = map(space, "m");
          inThreads(
              THREADS,
              number -> {
                for (int i = 0; i < ROUNDS; i++) {
                  String key = "k" + ThreadLocalRandom.current().nextInt(4);
                  if (inTransactions) {
                    space.run(
                        tx -> {
                          SharedMap<String, Long> here = map.in(tx);
                          here.fastPut(key, here.getOrDefault(key, 0L) + 1);
                        });
                  } else {
                    map.merge(key, 1L, Long::sum);
                  }
                }
              });

          assertThat(map.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(DONE);
          map.object().verify();
        });
    inStore(store -> map(ObjectSpace.of(store), "m").object().verify());
  }

  /** Protocol 52: no transaction ever sees x + y other than 0, whether it commits or not. */
  @Test
  void noTransactionSeesABrokenInvariant() {
    AtomicInteger checks = new AtomicInteger();
    AtomicInteger attempts = new AtomicInteger();
    inStore(
        store -> {
          ObjectSpace space = ObjectSpace.of(store);
          SharedMap<String, Long> xs = map(space, "x");
          SharedMap<String, Long> ys = map(space, "y");
          inThreads(
              THREADS,
              number -> {
                for (int i = 0; i < ROUNDS; i++) {
                  space.run(
                      tx -> {
                        attempts.incrementAndGet();
                        long x = xs.in(tx).getOrDefault("v", 0L);
                        long y = ys.in(tx).getOrDefault("v", 0L);
                        if (x + y != 0) {
                          throw new AssertionError(x + " and " + y);
                        }
                        checks.incrementAndGet();
                        xs.in(tx).fastPut("v", x + 1);
                        ys.in(tx).fastPut("v", y - 1);
                      });
                }
              });

          assertThat(checks.get()).isEqualTo(attempts.get());
          assertThat(xs.get("v")).isEqualTo(DONE);
          assertThat(ys.get("v")).isEqualTo(-DONE);
        });
  }

  /** Protocol 51: each commit's token shows the state that the log has at that position. */
  @Test
  void theStateOfEachCommitIsReadable() {
    inStore(
        store -> {
          int sum = 0;
          ObjectSpace space = ObjectSpace.of(store);
          SharedObject<Stock> stock = space.open("shop", "stock", Stock.TYPE);
          List<io.github.stablecut.CausalToken> tokens = new ArrayList<>();
          for (int i = 0; i < 200; i++) {
            stock.call(Stock.PUT, "article " + i % 3);
            tokens.add(store.snapshot().token());
          }
          for (int i = 0; i < tokens.size(); i++) {
            SharedObject<Stock> then = stock.in(ObjectSpace.of(store.at(tokens.get(i))));
            assertThat(then.position()).isEqualTo(i + 1);
            assertThat(then.state()).isEqualTo(stock.stateAt(i + 1));
            sum += then.get(Stock::size);
          }
          assertThat(sum).isEqualTo(200 * 201 / 2);
        });
  }
}
