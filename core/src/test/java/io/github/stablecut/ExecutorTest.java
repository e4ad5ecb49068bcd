package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Users' executors that reject, block or run everything in the caller: the store continues. */
final class ExecutorTest {
  /** On different partitions, if there are several. */
  private static final List<CounterKey> KEYS =
      IntStream.range(0, 20).mapToObj(i -> Key.counter("b", "k" + i)).toList();

  private static final int COMMITS = 100;

  @TempDir private Path directory;

  private Store open(int partitions, Executor executor) {
    return Stablecut.open(
        directory.resolve("data"),
        StoreOptions.defaults().withPartitions(partitions).withExecutor(executor));
  }

  private static Update[] increments() {
    return KEYS.stream().map(CounterKey::increment).toArray(Update[]::new);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void completesStagesOnARejectingExecutorAndContinues(int partitions) {
    Executor refusing =
        task -> {
          throw new RejectedExecutionException("full");
        };
    try (Store store = open(partitions, refusing)) {
      List<CompletableFuture<CausalToken>> stages = new ArrayList<>();
      for (int i = 0; i < COMMITS; i++) {
        stages.add(store.updateAsync(increments()).toCompletableFuture());
      }

      stages.forEach(CompletableFuture::join);
      store.update(increments());
      assertThat(store.read(KEYS.get(0))).isEqualTo(COMMITS + 1);
      assertThat(store.status().health().failures()).isEmpty();
      assertThat(store.status().health().warnings()).anyMatch(text -> text.contains("executor"));
    }
    try (Store store = Stablecut.open(directory.resolve("data"))) {
      assertThat(store.read(KEYS.get(0))).isEqualTo(COMMITS + 1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void stagesMayWriteAndWaitOnACallerRunsExecutor(int partitions) {
    try (Store store = open(partitions, Runnable::run)) {
      CausalToken last =
          store
              .updateAsync(increments())
              .thenApply(first -> store.update(increments()))
              .thenApply(second -> store.updateAsync(increments()).toCompletableFuture().join())
              .thenApply(third -> store.updateAsync(increments()).toCompletableFuture().join())
              .toCompletableFuture()
              .join();

      assertThat(store.at(last).read(KEYS.get(0))).isEqualTo(4);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aBlockingExecutorDelaysStagesAndNoCommit(int partitions) {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    Executor blocking =
        task -> {
          try {
            mayGoOn.await();
          } catch (InterruptedException e) {
            throw new RejectedExecutionException(e);
          }
          task.run();
        };
    List<CompletableFuture<CausalToken>> stages = new ArrayList<>();
    try (Store store = open(partitions, blocking)) {
      for (int i = 0; i < COMMITS; i++) {
        stages.add(store.updateAsync(increments()).toCompletableFuture());
      }
      store.update(increments());

      assertThat(store.read(KEYS.get(0))).isEqualTo(COMMITS + 1);
      assertThat(stages).noneMatch(CompletableFuture::isDone);
    }
    mayGoOn.countDown();
    stages.forEach(CompletableFuture::join);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void completesReadsAndTransactionsOnARejectingExecutor(int partitions) {
    Executor refusing =
        task -> {
          throw new RejectedExecutionException("full");
        };
    try (Store store = open(partitions, refusing)) {
      store.update(increments());
      for (int i = 0; i < COMMITS; i++) {
        assertThat(store.readAsync(KEYS.get(0)).toCompletableFuture().join()).isEqualTo(i + 1);
        long before =
            store.transactAsync(ExecutorTest::readAndIncrement).toCompletableFuture().join();
        assertThat(before).isEqualTo(i + 1);
      }
      assertThat(store.read(KEYS.get(0))).isEqualTo(COMMITS + 1);
      assertThat(store.status().openTransactions()).isZero();
      assertThat(store.status().health().failures()).isEmpty();
      assertThat(store.status().health().warnings()).anyMatch(text -> text.contains("executor"));
    }
  }

  private static long readAndIncrement(Transaction transaction) {
    long before = transaction.read(KEYS.get(0));
    transaction.update(increments());
    return before;
  }

  static List<Throwable> errors() {
    return List.of(
        new StackOverflowError("injected"), new AssertionError("injected"), new LinkageError());
  }

  @ParameterizedTest
  @MethodSource("errors")
  void aTransactionRunByAnExecutorThatThenThrowsCommitsOnceAndCompletes(Error thrown) {
    Executor throwing =
        task -> {
          task.run();
          throw thrown;
        };
    try (Store store = open(3, throwing)) {
      for (int i = 0; i < COMMITS; i++) {
        long before =
            store.transactAsync(ExecutorTest::readAndIncrement).toCompletableFuture().join();
        assertThat(before).isEqualTo(i);
      }
      assertThat(store.read(KEYS.get(0))).isEqualTo(COMMITS);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void delayedReadsAndTransactionsBlockNothingAndEndWithTheStore(int partitions) {
    List<Runnable> kept = new ArrayList<>();
    CompletableFuture<Long> read;
    CompletableFuture<Long> transaction;
    CompletableFuture<Long> late;
    try (Store store = open(partitions, kept::add)) {
      read = store.readAsync(KEYS.get(0)).toCompletableFuture();
      transaction = store.transactAsync(tx -> tx.read(KEYS.get(0))).toCompletableFuture();
      store.update(increments());
      store.checkpoint();
      assertThat(store.read(KEYS.get(0))).isEqualTo(1);
      assertThat(store.status().openTransactions()).isZero();
      assertThat(read).isNotDone();
      assertThat(transaction).isNotDone();

      kept.forEach(Runnable::run);
      assertThat(read.join()).isEqualTo(1);
      assertThat(transaction.join()).isEqualTo(1);
      kept.clear();
      late = store.readAsync(KEYS.get(0)).toCompletableFuture();
    }
    kept.forEach(Runnable::run);

    assertThatThrownBy(late::join).hasCauseInstanceOf(StoreClosedException.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void runsOnlyStagesOnTheUsersExecutor(int partitions) {
    List<Runnable> given = new ArrayList<>();
    try (Store store = open(partitions, given::add)) {
      for (int i = 0; i < COMMITS; i++) {
        store.update(increments());
        assertThat(store.read(KEYS.get(0))).isEqualTo(i + 1);
      }
    }

    assertThat(given).isEmpty();
  }
}
