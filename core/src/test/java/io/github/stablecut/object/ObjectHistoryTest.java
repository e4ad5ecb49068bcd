package io.github.stablecut.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.object.Operation.MutatorAccessor;
import io.github.stablecut.object.Operation.None;
import io.github.stablecut.object.Operation.Outcome;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Recorded histories of certified transactions over objects are strictly serializable, and opaque:
 * refused and read-only transactions have seen the state of one point between their begin and their
 * end. The check searches for a cycle in the graph of required orders (Adya, PhD thesis, MIT 1999;
 * Guerraoui and Kapalka, PPoPP 2008).
 */
class ObjectHistoryTest {
  private static final int OBJECTS = 3;
  private static final int THREADS = 8;
  private static final int ROUNDS = 60;
  private static final TransactionOptions SERIALISABLE =
      TransactionOptions.defaults().certify(Certification.READS_WRITES);

  /** Counts its calls, so that a state shows how much of the log its reader has seen. */
  private static final MutatorAccessor<Long, None, Long> NEXT =
      Operation.mutatorAccessor("next", count -> new Outcome<>(count + 1, count));

  private static final ObjectType<Long> TYPE =
      ObjectType.of("sequence", Codec.int64(), 0L).with(NEXT);

  /**
   * A finished transaction.
   *
   * @param seen the number of calls that it saw of each object before its own; -1 if it did not
   *     read it
   * @param wrote the objects that it called, once each, if it was committed
   */
  private record FinishedTransaction(long begin, long end, List<Long> seen, List<Boolean> wrote) {}

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void histories(int partitions) throws InterruptedException {
    List<FinishedTransaction> history = new ArrayList<>();
    try (Store store =
        Stablecut.open(
            directory,
            StoreOptions.defaults()
                .withPartitions(partitions)
                .withDurability(Durability.periodic(Duration.ofSeconds(1))))) {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        Random random = new Random(i);
        Thread thread =
            new Thread(
                () -> {
                  for (int round = 0; round < ROUNDS; round++) {
                    FinishedTransaction done = transaction(store, random);
                    synchronized (history) {
                      history.add(done);
                    }
                  }
                });
        threads.add(thread);
        thread.start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }

    assertThat(history).hasSize(THREADS * ROUNDS);
    assertThat(history.stream().filter(done -> done.wrote.contains(true))).hasSizeGreaterThan(50);
    assertThat(cycle(history)).isEmpty();
  }

  private static FinishedTransaction transaction(Store store, Random random) {
    Long[] seen = {-1L, -1L, -1L};
    Boolean[] wrote = {false, false, false};
    boolean onlyReads = random.nextInt(4) == 0;
    long begin = System.nanoTime();
    try (Transaction transaction = store.begin(SERIALISABLE)) {
      ObjectSpace space = ObjectSpace.of(transaction);
      for (int step = 0; step < 2; step++) {
        int number = random.nextInt(OBJECTS);
        SharedObject<Long> object = space.open("b", "object " + number, TYPE);
        if (onlyReads || random.nextBoolean() || wrote[number]) {
          long count = object.state() - (wrote[number] ? 1 : 0);
          assertThat(seen[number]).isIn(-1L, count);
          seen[number] = count;
        } else {
          long count = object.call(NEXT);
          assertThat(seen[number]).isIn(-1L, count);
          seen[number] = count;
          wrote[number] = true;
        }
      }
      transaction.commit();
    } catch (ConflictException e) {
      Arrays.fill(wrote, false);
    }
    return new FinishedTransaction(begin, System.nanoTime(), List.of(seen), List.of(wrote));
  }

  /** The checker finds known violations. */
  @Test
  void aLostUpdateAWriteSkewAndAStaleReadAreCycles() {
    FinishedTransaction first =
        new FinishedTransaction(1, 9, List.of(0L, 0L, -1L), List.of(true, false, false));
    FinishedTransaction skewed =
        new FinishedTransaction(2, 8, List.of(0L, 0L, -1L), List.of(false, true, false));
    FinishedTransaction stale =
        new FinishedTransaction(20, 30, List.of(0L, -1L, -1L), List.of(false, false, false));
    FinishedTransaction torn =
        new FinishedTransaction(2, 30, List.of(1L, 0L, -1L), List.of(false, false, false));
    FinishedTransaction both =
        new FinishedTransaction(1, 9, List.of(0L, 0L, -1L), List.of(true, true, false));

    assertThat(cycle(List.of(first, first))).isNotEmpty();
    assertThat(cycle(List.of(first, skewed))).isNotEmpty();
    assertThat(cycle(List.of(first, stale))).isNotEmpty();
    assertThat(cycle(List.of(both, torn))).isNotEmpty();
    assertThat(cycle(List.of(first))).isEmpty();
  }

  /** Transactions in a cycle of required orders; none if there is an order. */
  private static List<FinishedTransaction> cycle(List<FinishedTransaction> history) {
    int[] before = new int[history.size()];
    for (int i = 0; i < history.size(); i++) {
      for (int j = 0; j < history.size(); j++) {
        before[j] += i != j && mustBeBefore(history.get(i), history.get(j)) ? 1 : 0;
      }
    }
    Deque<Integer> free = new ArrayDeque<>();
    for (int i = 0; i < before.length; i++) {
      if (before[i] == 0) {
        free.add(i);
      }
    }
    List<FinishedTransaction> left = new ArrayList<>(history);
    while (!free.isEmpty()) {
      int next = free.remove();
      left.remove(history.get(next));
      for (int j = 0; j < history.size(); j++) {
        if (j != next && mustBeBefore(history.get(next), history.get(j)) && --before[j] == 0) {
          free.add(j);
        }
      }
    }
    return left;
  }

  private static boolean mustBeBefore(FinishedTransaction one, FinishedTransaction other) {
    if (one.end < other.begin) {
      return true;
    }
    for (int object = 0; object < OBJECTS; object++) {
      long ones = one.seen.get(object);
      long others = other.seen.get(object);
      if (ones < 0 || others < 0) {
        continue;
      }
      // The other has seen this one's call, or would have changed what this one has seen.
      if ((one.wrote.get(object) && others > ones) || (other.wrote.get(object) && others >= ones)) {
        return true;
      }
    }
    return false;
  }
}
