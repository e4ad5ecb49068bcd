package io.github.stablecut.internal.transaction;

import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.ConfigurationRegister;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The configuration register of simulated nodes: its answers are late or missing. Confined to one
 * thread.
 */
final class SimulatedRegister {
  private static final int USUAL_MILLIS = 20;
  private static final int LATE_MILLIS = 4_000;
  private static final int NO_ANSWER_MILLIS = 3_000;

  private final Random random;
  private final SimulatedTime time;
  private final List<Configuration> configurations = new ArrayList<>();
  private boolean isCalm;

  SimulatedRegister(Random random, SimulatedTime time, List<String> voters) {
    this.random = random;
    this.time = time;
    for (int number = 0; number < SimulatedProcesses.PARTITIONS; number++) {
      configurations.add(Configuration.first(voters));
    }
  }

  /** Ends the faults. */
  void calm() {
    isCalm = true;
  }

  /** The configuration of a partition. */
  Configuration get(int number) {
    return configurations.get(number);
  }

  private boolean replace(int number, Configuration next) {
    boolean hasWon = next.epoch() == get(number).epoch() + 1;
    if (hasWon) {
      configurations.set(number, next);
    }
    return hasWon;
  }

  /**
   * The register as a node sees it.
   *
   * @param handle runs after each answer
   */
  ConfigurationRegister of(ReplicatedNode node, Runnable handle) {
    return new ConfigurationRegister() {
      @Override
      public CompletionStage<Configuration> read(int number) {
        return ask(node, () -> get(number), handle);
      }

      @Override
      public CompletionStage<Boolean> replace(int number, Configuration next) {
        return ask(node, () -> SimulatedRegister.this.replace(number, next), handle);
      }
    };
  }

  private <T> CompletionStage<T> ask(ReplicatedNode from, Supplier<T> question, Runnable handle) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    boolean isAsked = isCalm || random.nextInt(20) > 0;
    boolean isAnswered = isAsked && (isCalm || random.nextInt(20) > 0);
    int delay = !isCalm && random.nextInt(10) == 0 ? LATE_MILLIS : USUAL_MILLIS;
    if (isAsked) {
      time.at(
          time.soon(delay),
          () -> {
            T found = question.get();
            if (isAnswered) {
              tell(from, time.soon(delay), () -> answer.complete(found), handle);
            }
          });
    }
    if (!isAnswered) {
      tell(
          from,
          time.now() + NO_ANSWER_MILLIS * SimulatedTime.MILLI,
          () -> answer.completeExceptionally(new IllegalStateException("no answer")),
          handle);
    }
    return answer;
  }

  private void tell(ReplicatedNode to, long at, Runnable answer, Runnable handle) {
    time.at(
        at,
        () ->
            to.whenRunning(
                () -> {
                  answer.run();
                  handle.run();
                }));
  }
}
