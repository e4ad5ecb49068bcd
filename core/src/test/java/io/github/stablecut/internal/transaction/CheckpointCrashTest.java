package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Pin;
import io.github.stablecut.checkpoint.CheckpointOptions;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.ManifestFile;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Cuts the power after each file operation of checkpoints, manifest switches, history files, merges
 * and truncation in turn: acknowledged data exists once, before and after the next checkpoint.
 */
class CheckpointCrashTest {
  private static final int ROUNDS = 6;
  private static final int KEYS = 4;
  private static final int LOSSES = 3;
  private static final AddWinsSetKey<Long> SET = Key.addWinsSet("b", "set", Codec.int64());

  /** Small segments, so that truncation has something to drop. */
  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withExecutor(Runnable::run)
          .withLimits(LossyDisk.LIMITS)
          .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO));

  private static CounterKey counter(int key) {
    return Key.counter("b", "counter-" + key);
  }

  /** The life of a store: its disk, and the number of acknowledged rounds. */
  private record Life(LossyDisk disk, int rounds) {}

  /** Each round writes all keys, holds a snapshot through the next checkpoint, and checkpoints. */
  private static Life live(int operations) {
    LossyDisk disk = LossyDisk.empty();
    disk.checkpoints().cutAfter(operations);
    int rounds = 0;
    List<Pin> pins = new ArrayList<>();
    try (EmbeddedStore store = disk.open(OPTIONS)) {
      while (rounds < ROUNDS) {
        write(store, rounds);
        rounds++;
        pins.add(store.pin(store.status().times().stable()));
        if (pins.size() > 2) {
          pins.remove(0).close();
        }
        write(store, rounds);
        rounds++;
        store.checkpoint();
      }
    } catch (StablecutException e) {
      assertThat(e).hasStackTraceContaining("the power is cut");
    }
    return new Life(disk, rounds);
  }

  private static CausalToken write(EmbeddedStore store, int round) {
    return store.run(
        transaction -> {
          for (int key = 0; key < KEYS; key++) {
            transaction.update(counter(key).increment());
          }
          transaction.update(SET.add((long) round), SET.remove(round - 2L));
        });
  }

  @Test
  void losesNothingAndCountsNothingTwiceWhereverThePowerIsCut() throws IOException {
    int operations = live(Integer.MAX_VALUE).disk.checkpoints().operations();
    assertThat(operations).isGreaterThan(50);
    for (int cut = 0; cut <= operations; cut++) {
      Life life = live(cut);
      for (int loss = 0; loss <= LOSSES; loss++) {
        LossyDisk left =
            loss == 0
                ? life.disk.afterKill()
                : life.disk.afterPowerCut(new Random(cut), (loss - 1) * 0.5);
        try {
          check(life, left);
        } catch (AssertionError | RuntimeException e) {
          throw new AssertionError("cut after operation " + cut + ", loss " + loss, e);
        }
      }
    }
  }

  private static void check(Life life, LossyDisk left) throws IOException {
    try (EmbeddedStore store = left.open(OPTIONS)) {
      checkValues(store, life.rounds);
      store.checkpoint();
      checkValues(store, life.rounds);
      write(store, life.rounds);
      store.checkpoint();
      checkValues(store, life.rounds + 1);
    }
    checkNoOrphans(left.checkpoints());
    try (EmbeddedStore store = left.open(OPTIONS)) {
      checkValues(store, life.rounds + 1);
    }
  }

  private static void checkValues(EmbeddedStore store, int rounds) {
    for (int key = 0; key < KEYS; key++) {
      assertThat(store.read(counter(key))).isEqualTo(rounds);
    }
    Set<Long> last = new TreeSet<>();
    for (long round = Math.max(0, rounds - 2); round < rounds; round++) {
      last.add(round);
    }
    assertThat(store.read(SET)).containsExactlyElementsOf(last);
  }

  private static void checkNoOrphans(LossyDirectory directory) throws IOException {
    Set<String> needed = new TreeSet<>();
    try (CheckpointStore checkpoints =
            CheckpointStore.open(directory, CheckpointOptions.DEFAULTS, 1);
        CheckpointView view = checkpoints.view()) {
      needed.addAll(view.snapshotHeads(0).keySet());
      view.manifest().files().stream().map(ManifestFile::name).forEach(needed::add);
    }
    assertThat(directory.list().stream().filter(name -> !name.startsWith("MANIFEST-")))
        .allMatch(needed::contains);
  }
}
