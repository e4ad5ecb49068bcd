package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An interrupt ends nothing and breaks nothing; the thread keeps its flag. */
final class InterruptTest {
  private static final CounterKey COUNTER = Key.counter("b", "counter");
  private static final CounterKey OTHER = Key.counter("b", "other");

  @TempDir private Path temporary;

  @CanIgnoreReturnValue
  private static <T> T interrupted(Supplier<T> call) {
    Thread.currentThread().interrupt();
    T result;
    try {
      result = call.get();
    } finally {
      // The next call must not find it.
      assertThat(Thread.interrupted()).isTrue();
    }
    return result;
  }

  private static void interrupted(Runnable call) {
    interrupted(
        () -> {
          call.run();
          return true;
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void everyCallWorksOnAnInterruptedThread(int partitions) {
    Path data = temporary.resolve("data");
    StoreOptions options =
        StoreOptions.defaults()
            .withPartitions(partitions)
            .withCheckpoints(CheckpointPolicy.byCall());
    for (long opening = 1; opening <= 3; opening++) {
      Store store = interrupted(() -> Stablecut.open(data, options));
      if (opening > 1) {
        assertThat(interrupted(() -> store.read(COUNTER))).isEqualTo(opening - 1);
      }
      CausalToken token = interrupted(() -> store.update(COUNTER.increment(), OTHER.increment()));
      interrupted(store::checkpoint);
      assertThat(interrupted(() -> store.at(token).read(COUNTER))).isEqualTo(opening);
      assertThat(interrupted(() -> store.readLatest(OTHER))).isEqualTo(opening);
      Path backup = temporary.resolve("backup" + opening);
      interrupted(() -> store.backup(backup));
      interrupted(store::close);

      Path restored = temporary.resolve("restored" + opening);
      interrupted(() -> Stablecut.restore(backup, restored));
      try (Store copy = Stablecut.open(restored)) {
        assertThat(copy.read(COUNTER)).isEqualTo(opening);
      }
    }
  }

  /** A lone committer writes and syncs itself, and is interrupted meanwhile. */
  @Test
  void interruptsWhileACallerSyncsCloseNothing() {
    Path data = temporary.resolve("data");
    Thread caller = Thread.currentThread();
    AtomicBoolean isOver = new AtomicBoolean();
    Thread interrupter =
        new Thread(
            () -> {
              while (!isOver.get()) {
                caller.interrupt();
                Thread.onSpinWait();
              }
            });
    try (Store store = Stablecut.open(data)) {
      interrupter.start();
      try {
        for (int i = 0; i < 300; i++) {
          store.update(COUNTER.increment());
        }
      } finally {
        isOver.set(true);
        while (interrupter.isAlive()) {
          Thread.onSpinWait();
        }
      }

      assertThat(Thread.interrupted()).isTrue();
      assertThat(store.status().health().failures()).isEmpty();
    }
    try (Store store = Stablecut.open(data)) {
      assertThat(store.read(COUNTER)).isEqualTo(300);
    }
  }

  @Test
  void aScanOfFilesOnAnInterruptedThreadFindsEverything() {
    Path data = temporary.resolve("data");
    try (Store store = Stablecut.open(data)) {
      for (int i = 0; i < 1_000; i++) {
        store.update(Key.counter("many", "k" + i).increment());
      }
      store.checkpoint();
    }
    try (Store store = Stablecut.open(data)) {
      for (int reader = 0; reader < 2; reader++) {
        int[] found = {0};
        interrupted(
            () -> {
              try (Scan scan = store.snapshot().scan("many")) {
                scan.forEachRemaining(object -> found[0]++);
              }
            });
        assertThat(found[0]).isEqualTo(1_000);
      }
    }
  }
}
