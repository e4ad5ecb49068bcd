package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many threads use a store concurrently. */
final class ConcurrencyTest {
  private static final int WRITERS = 8;
  private static final int COMMITS = 400;
  private static final int MAX_SNAPSHOTS = 200;
  private static final CounterKey LEFT = Key.counter("b", "left");
  private static final CounterKey RIGHT = Key.counter("b", "right");

  @TempDir private Path directory;
  private Store store;
  private ExecutorService threads;
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void open() {
    threads = Executors.newCachedThreadPool();
    store = Stablecut.open(directory);
  }

  @AfterEach
  void close() {
    store.close();
    threads.shutdownNow();
    assertThat(failures).isEmpty();
  }

  private CompletableFuture<Void> start(Runnable task) {
    return CompletableFuture.runAsync(task, threads)
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                failures.add(failure);
              }
            });
  }

  private static void join(List<CompletableFuture<Void>> tasks) {
    CompletableFuture.allOf(tasks.toArray(CompletableFuture[]::new)).join();
  }

  @Test
  void twoConcurrentIncrementsBothCount() {
    try (Transaction first = store.begin();
        Transaction second = store.begin()) {
      first.update(LEFT.increment(1));
      second.update(LEFT.increment(10));
      first.commit();
      second.commit();
    }

    assertThat(store.read(LEFT)).isEqualTo(11);
  }

  @Test
  void additionWinsOverAConcurrentRemoval() {
    AddWinsSetKey<String> set = Key.addWinsSet("b", "set", Codec.string());
    store.update(set.addAll(List.of("kept", "gone")));
    try (Transaction removes = store.begin();
        Transaction adds = store.begin()) {
      removes.update(set.clear());
      adds.update(set.add("kept"));
      adds.commit();
      removes.commit();
    }

    assertThat(store.read(set)).containsExactly("kept");
  }

  @Test
  void readsSeeWholeTransactionsAndNeverGoBack() {
    AtomicInteger writing = new AtomicInteger(WRITERS);
    List<CompletableFuture<Void>> tasks = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      tasks.add(
          start(
              () -> {
                for (int n = 0; n < COMMITS; n++) {
                  store.update(LEFT.increment(), RIGHT.increment());
                }
                writing.decrementAndGet();
              }));
    }
    for (int i = 0; i < 2; i++) {
      tasks.add(start(() -> readUntilDone(writing)));
    }
    join(tasks);

    assertThat(store.read(LEFT)).isEqualTo(WRITERS * COMMITS);
    assertThat(store.read(RIGHT)).isEqualTo(WRITERS * COMMITS);
  }

  private void readUntilDone(AtomicInteger writing) {
    long last = 0;
    List<Snapshot> old = new ArrayList<>();
    List<Long> then = new ArrayList<>();
    while (writing.get() > 0) {
      Values values = store.read(List.of(LEFT, RIGHT));
      assertThat(values.get(LEFT)).isEqualTo(values.get(RIGHT)).isGreaterThanOrEqualTo(last);
      if (values.get(LEFT) > last && old.size() < MAX_SNAPSHOTS) {
        old.add(store.at(values.token()));
        then.add(values.get(LEFT));
      }
      last = values.get(LEFT);
    }
    for (int i = 0; i < old.size(); i++) {
      assertThat(old.get(i).read(RIGHT)).isEqualTo(then.get(i));
    }
  }

  @Test
  void transactionsSeeAllCommitsAcknowledgedBeforeTheirBegin() {
    List<CompletableFuture<Void>> tasks = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      CounterKey own = Key.counter("own", "" + i);
      tasks.add(
          start(
              () -> {
                for (long n = 1; n <= COMMITS; n++) {
                  CausalToken token = store.update(own.increment());
                  assertThat(store.read(own)).isEqualTo(n);
                  assertThat(store.at(token).read(own)).isEqualTo(n);
                  try (Transaction next = store.begin()) {
                    assertThat(next.read(own)).isEqualTo(n);
                  }
                }
              }));
    }
    join(tasks);
  }

  @Test
  void asynchronousCallsEqualBlockingOnes() {
    List<CompletionStage<CausalToken>> stages = new ArrayList<>();
    for (int i = 0; i < COMMITS; i++) {
      stages.add(store.updateAsync(LEFT.increment(), RIGHT.increment()));
    }
    CausalToken last = null;
    for (CompletionStage<CausalToken> stage : stages) {
      last = stage.toCompletableFuture().join();
    }
    assertThat(last).isNotNull();
    assertThat(store.at(last).read(LEFT)).as("in the order of the calls").isEqualTo(COMMITS);
    assertThat(store.readAsync(LEFT).toCompletableFuture().join()).isEqualTo(COMMITS);
    assertThat(store.readAsync(List.of(LEFT, RIGHT)).toCompletableFuture().join().get(RIGHT))
        .isEqualTo(COMMITS);
    assertThat(
            store
                .transactAsync(
                    transaction -> {
                      transaction.update(LEFT.increment());
                      return transaction.read(LEFT);
                    })
                .toCompletableFuture()
                .join())
        .isEqualTo(COMMITS + 1);
    assertThatThrownBy(
            () ->
                store
                    .updateAsync(Key.register("b", "left", Codec.string()).assign("x"))
                    .toCompletableFuture()
                    .join())
        .isInstanceOf(TypeMismatchException.class);
  }

  @Test
  void stagesDoNotRunTheirDependentsOnTheSyncingThread() {
    String name =
        store
            .updateAsync(LEFT.increment())
            .thenApply(token -> Thread.currentThread().getName())
            .toCompletableFuture()
            .join();

    assertThat(name).doesNotContain("journal-sync");
  }

  @Test
  void interruptEndsNeitherACommitNorTheStore() {
    Thread.currentThread().interrupt();
    store.update(LEFT.increment());
    assertThat(Thread.interrupted()).as("the flag is kept").isTrue();

    store.update(LEFT.increment());
    assertThat(store.read(LEFT)).isEqualTo(2);
  }

  @Test
  void closingDuringCommitsLosesNothingAcknowledged() {
    AtomicInteger acknowledged = new AtomicInteger();
    List<CompletableFuture<Void>> tasks = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      tasks.add(
          start(
              () -> {
                try {
                  while (true) {
                    store.update(LEFT.increment());
                    acknowledged.incrementAndGet();
                  }
                } catch (StoreClosedException e) {
                  return; // as expected
                }
              }));
    }
    while (acknowledged.get() < 500) {
      Thread.onSpinWait();
    }
    store.close();
    join(tasks);
    store = Stablecut.open(directory);

    assertThat(store.read(LEFT)).isEqualTo(acknowledged.get());
  }

  @Test
  void everyDurabilityKeepsCommitsAcrossAClose() {
    store.close();
    long expected = 0;
    for (Durability durability :
        List.of(
            Durability.batch(),
            Durability.group(Duration.ofMillis(2)),
            Durability.periodic(Duration.ofMillis(20)))) {
      store = Stablecut.open(directory, StoreOptions.defaults().withDurability(durability));
      for (int n = 0; n < 50; n++) {
        CausalToken token = store.update(LEFT.increment());
        assertThat(store.at(token).read(LEFT)).isEqualTo(++expected);
      }
      store.close();
    }
    store = Stablecut.open(directory);

    assertThat(store.read(LEFT)).isEqualTo(expected);
  }
}
