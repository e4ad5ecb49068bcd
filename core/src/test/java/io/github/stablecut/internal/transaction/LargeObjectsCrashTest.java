package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.TextKey;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.Collection;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Cuts the power after each file operation while pages of large objects are written, merged and
 * deleted: acknowledged data exists, before and after the next checkpoints.
 */
class LargeObjectsCrashTest {
  private static final int SIZE = 6_000;
  private static final int ROUNDS = 5;
  private static final int LOSSES = 3;
  private static final AddWinsSetKey<Long> SET = Key.addWinsSet("b", "set", Codec.int64());
  private static final TextKey TEXT = Key.text("b", "text");

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withExecutor(Runnable::run)
          .withLimits(LossyDisk.LIMITS)
          .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO));

  /** The store's content after some rounds; rounds are the same in every life. */
  private static final class Content {
    private final Collection<Long> set = new TreeSet<>();
    private final StringBuilder text = new StringBuilder();

    static Content after(int rounds) {
      Content content = new Content();
      for (int round = 0; round < rounds; round++) {
        content.execute(round);
      }
      return content;
    }

    private void execute(int round) {
      if (round == 0) {
        set.addAll(all());
        text.append("words ".repeat(SIZE));
      } else if (round == ROUNDS - 2) {
        // Small again: all pages go.
        set.clear();
        text.delete(100, text.length());
      } else {
        set.add((long) SIZE + round);
        set.remove((long) round * 100);
        text.insert(round * 10, "more");
      }
    }
  }

  private static Collection<Long> all() {
    return LongStream.range(0, SIZE).boxed().collect(Collectors.toList());
  }

  private static void execute(EmbeddedStore store, int round) {
    store.run(
        transaction -> {
          if (round == 0) {
            transaction.update(SET.addAll(all()), TEXT.insert(0, "words ".repeat(SIZE)));
          } else if (round == ROUNDS - 2) {
            int length = transaction.read(TEXT).length();
            transaction.update(SET.clear(), TEXT.delete(100, length - 100));
          } else {
            transaction.update(
                SET.add((long) SIZE + round),
                SET.remove((long) round * 100),
                TEXT.insert(round * 10, "more"));
          }
        });
  }

  private record Life(LossyDisk disk, int rounds) {}

  private static Life live(int operations) {
    LossyDisk disk = LossyDisk.empty();
    disk.checkpoints().cutAfter(operations);
    int rounds = 0;
    try (EmbeddedStore store = disk.open(OPTIONS)) {
      while (rounds < ROUNDS) {
        execute(store, rounds);
        rounds++;
        store.checkpoint();
      }
    } catch (StablecutException e) {
      assertThat(e).hasStackTraceContaining("the power is cut");
    }
    return new Life(disk, rounds);
  }

  @Test
  void losesNothingWhereverThePowerIsCut() {
    int operations = live(Integer.MAX_VALUE).disk.checkpoints().operations();
    assertThat(operations).isGreaterThan(30);
    for (int cut = 0; cut <= operations; cut++) {
      Life life = live(cut);
      for (int loss = 0; loss <= LOSSES; loss++) {
        LossyDisk left =
            loss == 0
                ? life.disk.afterKill()
                : life.disk.afterPowerCut(new Random(cut), (loss - 1) * 0.5);
        try {
          check(life.rounds, left);
        } catch (AssertionError | RuntimeException e) {
          throw new AssertionError("cut after operation " + cut + ", loss " + loss, e);
        }
      }
    }
  }

  private static void check(int rounds, LossyDisk left) {
    try (EmbeddedStore store = left.open(OPTIONS)) {
      checkValues(store, rounds);
      store.checkpoint();
      checkValues(store, rounds);
      if (rounds < ROUNDS) {
        execute(store, rounds);
        store.checkpoint();
        checkValues(store, rounds + 1);
      }
    }
    try (EmbeddedStore store = left.open(OPTIONS)) {
      checkValues(store, Math.min(ROUNDS, rounds + 1));
    }
  }

  private static void checkValues(EmbeddedStore store, int rounds) {
    Content expected = Content.after(rounds);
    assertThat(store.read(SET)).isEqualTo(expected.set);
    assertThat(store.read(TEXT).toString()).isEqualTo(expected.text.toString());
  }
}
