package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.NestedCallException;
import io.github.stablecut.error.TransactionTimeoutException;
import io.github.stablecut.key.BoundedCounterKey;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.IndexOptions;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.Timeouts;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Conditional writes take effect one after the other, and their answers are durable. */
class ConditionalUpdateTest {
  private static final int THREADS = 20;
  private static final int ATTEMPTS = 50;
  private static final CounterKey COUNTER = Key.counter("b", "counter");

  @TempDir Path directory;

  private Store open(int partitions, IndexOptions index) {
    return Stablecut.open(
        directory, StoreOptions.defaults().withPartitions(partitions).withIndex(index));
  }

  private Store open() {
    return open(1, IndexOptions.defaults());
  }

  /** Partitions are ahead of each other, and some are ahead of the store's newest commit. */
  @Test
  void anUnmetConditionReturnsAPointThatTheStoreHas() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (Store store = open(4, IndexOptions.defaults())) {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        String bucket = "b" + i;
        running.add(threads.submit(() -> updateOnUnmetCondition(store, bucket)));
      }
      for (Future<?> one : running) {
        one.get();
      }
    } finally {
      threads.shutdown();
    }
  }

  private static void updateOnUnmetCondition(Store store, String bucket) {
    Random random = new Random(bucket.hashCode());
    for (int i = 0; i < 500; i++) {
      RegisterKey<String> key = Key.register(bucket, "k" + random.nextInt(20), Codec.string());
      RegisterKey<String> other = Key.register(bucket, "o" + random.nextInt(20), Codec.string());
      if (i % 2 == 0) {
        store.update(key.assign("x"));
        continue;
      }
      ConditionalResult none =
          i % 4 == 1
              ? store.compareAndUpdate(Condition.is(key, Optional.of("y")), other.assign("z"))
              : store.compareAndUpdate(List.of(key), found -> false, other.assign("z"));
      Optional<String> then = store.at(none.token()).read(key);
      assertThat(then).isEqualTo(store.at(none.found().token()).read(key));
      assertThat(then).isEqualTo(store.read(key));
    }
  }

  /** A thousand compare-and-increments of one key: the final value is the number of successes. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void eachSuccessOfConcurrentOnesCountsOnce(int partitions) throws Exception {
    try (Store store = open(partitions, IndexOptions.defaults())) {
      long syncsBefore = store.status().journal().syncs();
      long successes = race(store);
      long syncs = store.status().journal().syncs() - syncsBefore;
      assertThat(store.read(COUNTER)).isEqualTo(successes);
      assertThat(successes).isPositive();
      assertThat(syncs).as("syncs for %s successes", successes).isLessThan(THREADS * ATTEMPTS);
    }
    try (Store store = Stablecut.open(directory)) {
      assertThat(store.read(COUNTER)).isPositive();
    }
  }

  @Test
  void anUnmetConditionIsAnsweredAfterTimeWithoutCommits() {
    Instant[] now = {Instant.parse("2026-11-20T12:00:00Z")};
    StoreOptions options = StoreOptions.defaults().withClock(() -> now[0]);
    try (Store store = Stablecut.open(directory, options)) {
      store.update(COUNTER.increment(1));
      now[0] = now[0].plusSeconds(5);

      ConditionalResult result =
          store.compareAndUpdate(
              List.of(COUNTER), values -> values.get(COUNTER) == 0, COUNTER.increment(1));

      assertThat(result.isWritten()).isFalse();
    }
  }

  /** The counter is 0 before and after each of these transactions. */
  @Test
  void theConditionSeesNoPartOfACommittingTransaction() {
    CounterKey written = Key.counter("b", "written");
    List<Update> updates = new ArrayList<>(Collections.nCopies(100, COUNTER.increment()));
    updates.add(COUNTER.decrement(100));
    AtomicBoolean isOver = new AtomicBoolean();
    try (Store store = open()) {
      CompletableFuture<Void> writer =
          CompletableFuture.runAsync(
              () -> {
                while (!isOver.get()) {
                  store.update(updates.toArray(Update[]::new));
                }
              });
      try {
        for (int i = 0; i < 1_000; i++) {
          ConditionalResult result =
              store.compareAndUpdate(
                  List.of(COUNTER), found -> found.get(COUNTER) != 0, written.increment());
          assertThat(result.found().get(COUNTER)).isZero();
        }
      } finally {
        isOver.set(true);
        writer.join();
      }
      assertThat(store.read(written)).isZero();
    }
  }

  @Test
  void seesAWriteThatACheckpointEvicts() {
    CounterKey other = Key.counter("b", "other");
    try (Store store = open()) {
      AtomicBoolean isFirst = new AtomicBoolean(true);
      ConditionalResult result =
          store.compareAndUpdate(
              List.of(COUNTER),
              found -> {
                if (isFirst.getAndSet(false)) {
                  CompletableFuture.runAsync(
                          () -> {
                            store.update(COUNTER.increment());
                            for (int i = 0; i < 3; i++) {
                              store.update(other.increment());
                              store.checkpoint();
                            }
                          })
                      .join();
                }
                return found.get(COUNTER) == 0;
              },
              COUNTER.increment(100));

      assertThat(result.isWritten()).isFalse();
      assertThat(result.found().get(COUNTER)).isEqualTo(1);
      assertThat(store.read(COUNTER)).isEqualTo(1);
    }
  }

  @Test
  void worksWithoutAnIndex() throws Exception {
    try (Store store = open(1, IndexOptions.off())) {
      assertThat(race(store)).isEqualTo(store.read(COUNTER));
    }
  }

  private static long race(Store store) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    List<Future<Integer>> results = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      results.add(threads.submit(() -> compareAndIncrement(store)));
    }
    long successes = 0;
    for (Future<Integer> result : results) {
      successes += result.get();
    }
    threads.shutdown();
    return successes;
  }

  private static int compareAndIncrement(Store store) {
    int successes = 0;
    for (int i = 0; i < ATTEMPTS; i++) {
      long seen = store.read(COUNTER);
      ConditionalResult result =
          store.compareAndUpdate(
              List.of(COUNTER), found -> found.get(COUNTER) == seen, COUNTER.increment());
      if (result.isWritten()) {
        assertThat(result.found().get(COUNTER)).isEqualTo(seen);
        successes++;
      } else {
        assertThat(result.found().get(COUNTER)).isNotEqualTo(seen);
      }
      // The answer is acknowledged: every reader sees it from now on.
      assertThat(store.read(COUNTER)).isGreaterThanOrEqualTo(result.found().get(COUNTER));
      assertThat(store.at(result.token()).read(COUNTER))
          .isGreaterThanOrEqualTo(result.found().get(COUNTER));
    }
    return successes;
  }

  @Test
  void plainWritesMayComeBetween() throws Exception {
    try (Store store = open()) {
      ExecutorService threads = Executors.newFixedThreadPool(2);
      Future<?> plain =
          threads.submit(
              () -> {
                for (int i = 0; i < 500; i++) {
                  store.update(COUNTER.increment());
                }
              });
      int even = 0;
      for (int i = 0; i < 1_000; i++) {
        ConditionalResult result =
            store.compareAndUpdate(
                List.of(COUNTER),
                found -> found.get(COUNTER) % 2 == 0,
                COUNTER.increment(),
                COUNTER.increment());
        assertThat(result.isWritten()).isEqualTo(result.found().get(COUNTER) % 2 == 0);
        even += result.isWritten() ? 1 : 0;
      }
      plain.get();
      threads.shutdown();
      assertThat(store.read(COUNTER)).isEqualTo(500 + 2L * even);
      assertThat(store.readLatest(COUNTER)).isEqualTo(500 + 2L * even);
    }
  }

  @Test
  void writesMayDependOnOtherObjects() {
    RegisterKey<String> owner = Key.register("b", "owner", Codec.string());
    try (Store store = open()) {
      ConditionalResult first =
          store.compareAndUpdate(
              List.of(owner, COUNTER),
              found -> found.get(owner).isEmpty() && found.get(COUNTER) == 0,
              owner.assign("first"),
              COUNTER.increment());
      ConditionalResult second =
          store.compareAndUpdate(
              List.of(owner), found -> found.get(owner).isEmpty(), owner.assign("second"));

      assertThat(first.isWritten()).isTrue();
      assertThat(second.isWritten()).isFalse();
      assertThat(second.found().get(owner)).contains("first");
      assertThat(store.readLatest(owner)).contains("first");
      assertThat(store.readLatest(COUNTER)).isEqualTo(1);
    }
  }

  @Test
  void aThrowingConditionChangesNothing() {
    try (Store store = open()) {
      IllegalStateException thrown = new IllegalStateException("no");
      assertThatThrownBy(
              () ->
                  store.compareAndUpdate(
                      List.of(COUNTER),
                      found -> {
                        throw thrown;
                      },
                      COUNTER.increment()))
          .isSameAs(thrown);
      assertThat(store.read(COUNTER)).isZero();
      assertThat(
              store
                  .compareAndUpdate(List.of(COUNTER), found -> true, COUNTER.increment())
                  .isWritten())
          .isTrue();
    }
  }

  /** A crash could undo what the caller was shown. */
  @Test
  void answersAThrowingConditionWhenTheValuesItSawAreDurable() {
    StoreOptions options =
        StoreOptions.defaults().withDurability(Durability.group(Duration.ofMillis(400)));
    try (Store store = Stablecut.open(directory, options)) {
      CompletableFuture<CausalToken> increment =
          store.updateAsync(COUNTER.increment()).toCompletableFuture();
      AtomicBoolean isShown = new AtomicBoolean();
      while (!isShown.get()) {
        Throwable told =
            catchThrowable(
                () ->
                    store.compareAndUpdate(
                        List.of(COUNTER),
                        found -> {
                          isShown.set(found.get(COUNTER) == 1);
                          throw new IllegalStateException("shown");
                        },
                        COUNTER.increment()));
        assertThat(told).hasMessage("shown");
      }
      assertThat(store.read(COUNTER)).isOne();
      assertThat(increment).succeedsWithin(Duration.ofMinutes(1));
    }
  }

  @Test
  void keysMayBeOnOneOrSeveralPartitions() {
    try (Store store = open(8, IndexOptions.defaults())) {
      List<CounterKey> apart = new ArrayList<>();
      List<CounterKey> together = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        apart.add(Key.counter("b", "key" + i));
        together.add(Key.counter("b", "key" + i + "{1}"));
      }
      assertThat(apart.stream().map(store::partitionOf).distinct().count()).isGreaterThan(1);
      assertThat(together.stream().map(store::partitionOf).distinct()).hasSize(1);
      for (List<CounterKey> keys : List.of(apart, together)) {
        Predicate<Values> isNew = found -> keys.stream().allMatch(key -> found.get(key) == 0);
        Update[] increments = keys.stream().map(CounterKey::increment).toArray(Update[]::new);
        assertThat(store.compareAndUpdate(keys, isNew, increments).isWritten()).isTrue();
        ConditionalResult second = store.compareAndUpdate(keys, isNew, increments);
        assertThat(second.isWritten()).isFalse();
        assertThat(second.found().get(keys.get(0))).isEqualTo(1);
        assertThat(keys).allSatisfy(key -> assertThat(store.read(key)).isEqualTo(1));
      }
    }
  }

  @Test
  void refusedUpdatesChangeNothing() {
    BoundedCounterKey bounded = Key.boundedCounter("b", "bounded");
    try (Store store = open()) {
      assertThatThrownBy(
              () ->
                  store.compareAndUpdate(
                      List.of(COUNTER), found -> true, COUNTER.increment(), bounded.decrement(1)))
          .hasMessageContaining("1");
      assertThat(store.read(COUNTER)).isZero();
      assertThatThrownBy(() -> store.compareAndUpdate(List.of(COUNTER), found -> true))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  /** The call would wait for others, which may wait for the condition. */
  @Test
  void refusesAConditionThatCallsTheStore() {
    try (Store store = open()) {
      CounterKey other = Key.counter("b", "other");
      List<Consumer<Store>> calls =
          List.of(
              called -> called.compareAndUpdate(List.of(other), now -> true, other.increment()),
              called -> called.update(other.increment()),
              called -> called.run(tx -> tx.update(other.increment())),
              called -> called.openSession().update(1, other.increment()),
              called -> called.updateAsync(other.increment()),
              called -> called.readLatest(other),
              Store::checkpoint,
              called -> called.backup(directory.resolve("backup")));
      for (Consumer<Store> call : calls) {
        assertThatThrownBy(
                () ->
                    store.compareAndUpdate(
                        List.of(COUNTER),
                        now -> {
                          call.accept(store);
                          return true;
                        },
                        COUNTER.increment()))
            .isInstanceOf(NestedCallException.class)
            .hasMessageContaining("from the given values");
      }
      assertThat(store.read(COUNTER)).isZero();
      assertThat(store.read(other)).isZero();
      assertThat(store.compareAndUpdate(List.of(COUNTER), now -> true, COUNTER.increment()))
          .matches(ConditionalResult::isWritten);
    }
  }

  @Test
  void refusesAConditionThatCommitsATransaction() {
    try (Store store = open();
        Transaction transaction = store.begin()) {
      transaction.update(COUNTER.increment());
      for (Consumer<Transaction> commit :
          List.<Consumer<Transaction>>of(Transaction::commit, Transaction::commitAsync)) {
        assertThatThrownBy(
                () ->
                    store.compareAndUpdate(
                        List.of(COUNTER),
                        now -> {
                          commit.accept(transaction);
                          return true;
                        },
                        COUNTER.increment()))
            .isInstanceOf(NestedCallException.class);
      }
      transaction.commit();
      assertThat(store.read(COUNTER)).isEqualTo(1);
    }
  }

  @Test
  void refusesAConditionThatCallsTheStoreThroughAnotherStore() {
    try (Store store = open();
        Store other = Stablecut.open(directory.resolve("other"))) {
      assertThatThrownBy(
              () ->
                  store.compareAndUpdate(
                      List.of(COUNTER),
                      now ->
                          other
                              .compareAndUpdate(
                                  List.of(COUNTER),
                                  then -> {
                                    store.update(COUNTER.increment());
                                    return true;
                                  },
                                  COUNTER.increment())
                              .isWritten(),
                      COUNTER.increment()))
          .isInstanceOf(NestedCallException.class);
      assertThat(store.read(COUNTER)).isZero();
      assertThat(other.read(COUNTER)).isZero();
    }
  }

  /** Each condition waits for a write of another thread, which waits for the other condition. */
  @Test
  void conditionsThatWaitForEachOtherTimeOut() throws Exception {
    StoreOptions impatient =
        StoreOptions.defaults()
            .withTimeouts(Timeouts.defaults().withCommit(Duration.ofMillis(100)));
    CounterKey other = Key.counter("b", "other");
    CyclicBarrier bothAsked = new CyclicBarrier(2);
    try (Store store = Stablecut.open(directory, impatient)) {
      List<CompletableFuture<Void>> writers = new ArrayList<>();
      for (CounterKey own : List.of(COUNTER, other)) {
        CounterKey others = own.equals(COUNTER) ? other : COUNTER;
        writers.add(
            CompletableFuture.runAsync(
                () ->
                    store.compareAndUpdate(
                        List.of(own),
                        now -> {
                          await(bothAsked);
                          CompletableFuture.runAsync(
                                  () ->
                                      store.compareAndUpdate(
                                          List.of(others), seen -> true, others.increment()),
                                  task -> new Thread(task).start())
                              .join();
                          return true;
                        },
                        own.increment()),
                task -> new Thread(task).start()));
      }
      List<Throwable> failures = new ArrayList<>();
      for (CompletableFuture<Void> writer : writers) {
        writer
            .handle((done, failure) -> Optional.ofNullable(failure))
            .get()
            .ifPresent(failures::add);
      }
      // The first that gives up lets the other one proceed, unless that has given up too.
      assertThat(failures)
          .isNotEmpty()
          .allSatisfy(
              failure ->
                  assertThat(failure)
                      .hasRootCauseInstanceOf(TransactionTimeoutException.class)
                      .rootCause()
                      .hasMessageContainingAll("in bucket \"b\"", "100 milliseconds"));
    }
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new AssertionError(e);
    }
  }
}
