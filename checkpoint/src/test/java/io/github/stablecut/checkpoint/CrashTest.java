package io.github.stablecut.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.error.StablecutException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Cuts the power after each file operation of a run with every kind of step, and of the opens after
 * it. Protocol section 8, scenario 31.
 */
class CrashTest {
  private static final CheckpointOptions OPTIONS = Checkpoints.OPTIONS.withMaxYoungRuns(1);

  /** Runs, history, low watermark, merges below and above it, deletions dropped with the base. */
  private static final List<StoreStep> STEPS =
      List.of(
          new StoreStep.Take(0, List.of(0, 1, 2, 3), false),
          new StoreStep.Take(0, List.of(1, 2, 4, 5), true),
          new StoreStep.Take(1, List.of(0, 4, 6), true),
          new StoreStep.Raise(1),
          new StoreStep.Compact(),
          new StoreStep.Take(0, List.of(2, 7), false),
          new StoreStep.Take(1, List.of(1, 3, 8), true),
          new StoreStep.Take(0, List.of(), false),
          new StoreStep.Compact(),
          new StoreStep.Raise(0),
          new StoreStep.Compact(),
          new StoreStep.Take(0, List.of(0, 9), false));

  private static final int EXHAUSTIVE_ITEMS = 6;
  private static final int RANDOM_LOSSES = 6;

  /** The state of a run when the power was cut. */
  private record Run(LossyDirectory directory, StoreModel before, StoreModel after) {}

  /**
   * Runs the steps until the power is cut.
   *
   * @param operations the number of operations before the cut
   */
  private static Run runUntilCut(int operations) throws IOException {
    LossyDirectory directory = new LossyDirectory();
    directory.cutAfter(operations);
    StoreModel before = StoreModel.EMPTY;
    StoreModel after = before;
    try (CheckpointStore store = CheckpointStore.open(directory, OPTIONS, 1)) {
      store.start(change -> {});
      for (StoreStep step : STEPS) {
        after = step.applyTo(before, store.status().manifest());
        step.applyTo(store, before);
        before = after;
      }
    } catch (StablecutException e) {
      assertThat(e).hasMessageContaining("the power is cut");
    }
    return new Run(directory, before, after);
  }

  @Test
  void leavesEitherTheOldStateOrTheNewOne() throws IOException {
    int operations = runUntilCut(Integer.MAX_VALUE).directory.operations();
    assertThat(operations).isGreaterThan(150);
    for (int cut = 0; cut <= operations; cut++) {
      Run run = runUntilCut(cut);
      List<IntPredicate> losses = losses(run.directory.unforcedItems(), cut);
      for (int i = 0; i < losses.size(); i++) {
        try {
          reopen(run, run.directory.afterPowerCut(losses.get(i)));
        } catch (AssertionError | RuntimeException e) {
          throw new AssertionError("cut after operation " + cut + ", loss " + i, e);
        }
      }
    }
  }

  /** All combinations if there are few; otherwise the extreme ones, and some random ones. */
  private static List<IntPredicate> losses(int items, long seed) {
    List<IntPredicate> losses = new ArrayList<>();
    if (items <= EXHAUSTIVE_ITEMS) {
      for (int mask = 0; mask < 1 << items; mask++) {
        int survivors = mask;
        losses.add(item -> (survivors >> item & 1) != 0);
      }
      return losses;
    }
    losses.add(item -> false);
    losses.add(item -> true);
    for (int i = 0; i < items; i++) {
      int one = i;
      losses.add(item -> item == one);
      losses.add(item -> item != one);
    }
    for (int i = 0; i < RANDOM_LOSSES; i++) {
      long loss = seed * RANDOM_LOSSES + i;
      losses.add(item -> new Random(loss * 1_000 + item).nextBoolean());
    }
    return losses;
  }

  private static void reopen(Run run, LossyDirectory directory) throws IOException {
    StoreModel found;
    try (CheckpointStore store = open(run, directory)) {
      found = model(run, store);
      check(store, found);
      assertThat(directory.operations()).isZero();
      store.start(change -> {});
      Checkpoints.assertNothingIsLeftOver(directory, store);
      check(store, found);
      StoreStep next = new StoreStep.Take(0, List.of(1, 10), true);
      StoreModel last = next.applyTo(found, store.status().manifest());
      next.applyTo(store, found);
      check(store, last);
      found = last;
    }
    try (CheckpointStore store =
        CheckpointStore.open(directory.afterPowerCut(item -> false), OPTIONS, 1)) {
      check(store, found);
    }
  }

  /** The journal was truncated only after a change was durable. */
  private static CheckpointStore open(Run run, LossyDirectory directory) throws IOException {
    CheckpointStore store = CheckpointStore.open(directory, OPTIONS, run.before.firstSegment());
    assertThat(store.status().problems()).isEmpty();
    return store;
  }

  private static StoreModel model(Run run, CheckpointStore store) {
    return run.before.isOf(store.status().manifest()) ? run.before : run.after;
  }

  private static void check(CheckpointStore store, StoreModel model) {
    try (CheckpointView view = store.view()) {
      model.check(view);
    }
  }

  @Test
  void survivesACrashOfAnOpenAfterACrash() throws IOException {
    crashTwice(13);
  }

  @Test
  @Tag("long")
  void survivesACrashOfEachOpenAfterACrash() throws IOException {
    crashTwice(1);
  }

  private static void crashTwice(int every) throws IOException {
    int operations = runUntilCut(Integer.MAX_VALUE).directory.operations();
    for (int cut = 0; cut <= operations; cut += every) {
      Run run = runUntilCut(cut);
      for (boolean survives : new boolean[] {false, true}) {
        LossyDirectory first = run.directory.afterPowerCut(item -> survives);
        int last = operationsOfStart(run, first.afterKill());
        for (int second = 0; second <= last; second++) {
          LossyDirectory directory = first.afterKill();
          directory.cutAfter(second);
          startUntilTheCut(run, directory);
          for (IntPredicate loss : losses(directory.unforcedItems(), second)) {
            reopen(run, directory.afterPowerCut(loss));
          }
        }
      }
    }
  }

  private static int operationsOfStart(Run run, LossyDirectory directory) throws IOException {
    startUntilTheCut(run, directory);
    return directory.operations();
  }

  private static void startUntilTheCut(Run run, LossyDirectory directory) throws IOException {
    try (CheckpointStore store = open(run, directory)) {
      store.start(change -> {});
    } catch (StablecutException e) {
      assertThat(e).hasMessageContaining("the power is cut");
    }
  }

  @Test
  void survivesAKill() throws IOException {
    int operations = runUntilCut(Integer.MAX_VALUE).directory.operations();
    for (int cut = 0; cut <= operations; cut++) {
      Run run = runUntilCut(cut);
      reopen(run, run.directory.afterKill());
    }
  }

  @Test
  void neverReusesAnEpoch() throws IOException {
    int operations = runUntilCut(Integer.MAX_VALUE).directory.operations();
    for (int cut = 0; cut <= operations; cut += 7) {
      LossyDirectory directory = runUntilCut(cut).directory.afterKill();
      long before = 0;
      for (int i = 0; i < 3; i++) {
        try (CheckpointStore store = Checkpoints.start(directory, OPTIONS)) {
          assertThat(store.epoch()).isGreaterThan(before);
          before = store.epoch();
        }
        directory = directory.afterPowerCut(item -> false);
      }
    }
  }
}
