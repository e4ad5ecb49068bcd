package io.github.stablecut.testing.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.testing.history.RecordedOperation.CounterIncrement;
import io.github.stablecut.testing.history.RecordedOperation.CounterRead;
import io.github.stablecut.testing.history.RecordedOperation.RegisterRead;
import io.github.stablecut.testing.history.RecordedOperation.RegisterWrite;
import io.github.stablecut.testing.history.RecordedOperation.SetAdd;
import io.github.stablecut.testing.history.RecordedOperation.SetRead;
import io.github.stablecut.testing.history.RecordedOperation.SetRemove;
import io.github.stablecut.testing.history.RecordedTransaction.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The recorder writes what clients of a store did; others can read it, and it is correct. */
class HistoryRecorderTest {
  private static final int THREADS = 6;
  private static final int TRANSACTIONS = 150;
  private static final int OBJECTS = 5;

  @TempDir private Path directory;

  private Path file() {
    return directory.resolve("history.jsonl");
  }

  @Test
  void everyOperationIsReadBack() throws Exception {
    List<RecordedTransaction> history;
    try (HistoryRecorder recorder = HistoryRecorder.create(file(), "a \"test\" of\\\n")) {
      recorder.record((session, log) -> log.accept(new SetAdd("s", session.transaction())));
      recorder.record(
          (session, log) -> {
            log.accept(new RegisterRead("r", Optional.empty()));
            log.accept(new RegisterWrite("r", "\"quoted\" \\ \u0001 \u00e4"));
            log.accept(new RegisterRead("r", Optional.of("\"quoted\" \\ \u0001 \u00e4")));
            log.accept(new SetRead("s", Set.of("c0-1", "c0-0")));
            log.accept(new SetRead("s", Set.of()));
            log.accept(new SetRemove("s", "c0-1"));
            log.accept(new CounterIncrement("n", -3));
            log.accept(new CounterRead("n", Long.MIN_VALUE));
          });
      assertThatThrownBy(
              () ->
                  recorder.record(
                      (session, log) -> {
                        throw new ConflictException("another was faster");
                      }))
          .isInstanceOf(ConflictException.class);
      assertThatThrownBy(
              () ->
                  recorder.record(
                      (session, log) -> {
                        throw new IllegalStateException("no answer");
                      }))
          .isInstanceOf(IllegalStateException.class);
      recorder.note("a node was killed");
      clientThatHops(recorder);
      history = recorder.history();
    }

    assertThat(HistoryReader.read(file())).isEqualTo(history);
    assertThat(history)
        .extracting(RecordedTransaction::outcome)
        .containsExactly(
            Outcome.OK,
            Outcome.OK,
            Outcome.FAIL,
            Outcome.UNKNOWN,
            Outcome.FAIL,
            Outcome.UNKNOWN,
            Outcome.OK);
    assertThat(history)
        .extracting(RecordedTransaction::id)
        .containsExactly("c0-1", "c0-2", "c0-3", "c0-4", "hops-1", "hops-2", "hops-3");
    assertThat(history.get(5).node()).contains("n1");
    assertThat(history).extracting(RecordedTransaction::isFinal).endsWith(false, true);
    assertThat(Files.readAllLines(file()))
        .hasSize(9)
        .first()
        .isEqualTo(
            "{\"type\":\"meta\",\"format\":\"tcch/1\",\"what\":\"a \\\"test\\\" of\\\\\\u000a\"}");
  }

  private static void clientThatHops(HistoryRecorder recorder) {
    HistoryRecorder.Session session = recorder.open("hops");
    assertThatThrownBy(
            () ->
                recorder.record(
                    session,
                    "n0",
                    (same, log) -> {
                      log.accept(new SetAdd("s", same.transaction()));
                      throw new IllegalStateException("no answer to the first request");
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(
            () ->
                recorder.record(
                    session,
                    "n1",
                    (same, log) -> {
                      same.commits();
                      throw new IllegalStateException("no answer to the commit");
                    }))
        .isInstanceOf(IllegalStateException.class);
    recorder.recordFinal(
        session, "n2", (same, log) -> log.accept(new SetRead("s", Set.of("c0-1"))));
  }

  private static AddWinsSetKey<String> set(int object) {
    return Key.addWinsSet("set", "" + object, Codec.string());
  }

  private static CounterKey counter(int object) {
    return Key.counter("counter", "" + object);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void theHistoryOfAStoreIsCausalAndUpToDate(int partitions) throws Exception {
    StoreOptions options = StoreOptions.defaults().withPartitions(partitions);
    try (Store store = Stablecut.open(directory.resolve("data"), options);
        HistoryRecorder recorder = HistoryRecorder.create(file(), "a test")) {
      ExecutorService threads = Executors.newFixedThreadPool(THREADS);
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        running.add(threads.submit(() -> work(store, recorder)));
      }
      for (Future<?> one : running) {
        one.get();
      }
      threads.shutdown();
    }

    List<RecordedTransaction> history = HistoryReader.read(file());
    assertThat(history).hasSize(THREADS * TRANSACTIONS);
    assertThat(CausalCheck.violations(history, true)).isEmpty();
    assertThat(CausalCheck.violations(withAnEmptySet(history), true)).isNotEmpty();
  }

  private static void work(Store store, HistoryRecorder recorder) {
    for (int i = 0; i < TRANSACTIONS; i++) {
      recorder.record((session, log) -> work(store, session.transaction(), log));
    }
  }

  private static void work(Store store, String value, Consumer<RecordedOperation> log) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    try (Transaction transaction = store.begin()) {
      for (int i = random.nextInt(4); i > 0; i--) {
        int object = random.nextInt(OBJECTS);
        log.accept(new SetRead("set/" + object, transaction.read(set(object))));
        log.accept(new CounterRead("counter/" + object, transaction.read(counter(object))));
      }
      for (int i = random.nextInt(4); i > 0; i--) {
        int object = random.nextInt(OBJECTS);
        log.accept(new CounterIncrement("counter/" + object, i));
        transaction.update(counter(object).increment(i), set(object).add(value + "." + i));
        log.accept(new SetAdd("set/" + object, value + "." + i));
      }
      transaction.commit();
    }
  }

  /** As if the last transaction that read elements of a set had found it empty. */
  private static List<RecordedTransaction> withAnEmptySet(List<RecordedTransaction> history) {
    List<RecordedTransaction> changed = new ArrayList<>(history);
    for (int i = changed.size() - 1; ; i--) {
      RecordedTransaction reader = changed.get(i);
      List<RecordedOperation> empty =
          reader.operations().stream().map(HistoryRecorderTest::emptied).toList();
      if (!empty.equals(reader.operations())) {
        changed.set(
            i,
            new RecordedTransaction(
                reader.session(), reader.id(), reader.at(), reader.outcome(), empty));
        return changed;
      }
    }
  }

  private static RecordedOperation emptied(RecordedOperation operation) {
    return operation instanceof SetRead read ? new SetRead(read.key(), Set.of()) : operation;
  }
}
