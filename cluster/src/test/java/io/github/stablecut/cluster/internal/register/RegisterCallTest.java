package io.github.stablecut.cluster.internal.register;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Who leads the register is found, whoever has led it until now. */
final class RegisterCallTest {
  private static final List<String> KEEPERS = List.of("n1", "n2", "n3");

  private final List<String> asked = Collections.synchronizedList(new ArrayList<>());

  /** How often the executor was given something. */
  private final AtomicInteger again = new AtomicInteger();

  private static CompletableFuture<Optional<byte[]>> told(String outcome) {
    return CompletableFuture.completedFuture(Optional.of(outcome.getBytes(UTF_8)));
  }

  private static CompletableFuture<Optional<byte[]>> elsewhere() {
    return CompletableFuture.completedFuture(Optional.empty());
  }

  private long times(String node) {
    return asked.stream().filter(node::equals).count();
  }

  private CompletableFuture<byte[]> start(
      int patienceMillis, Function<String, CompletionStage<Optional<byte[]>>> answers) {
    return RegisterCall.start(
        KEEPERS,
        node -> {
          asked.add(node);
          return answers.apply(node);
        },
        task -> {
          again.incrementAndGet();
          task.run();
        },
        patienceMillis);
  }

  private static String join(CompletableFuture<byte[]> outcome) {
    return new String(outcome.orTimeout(60, TimeUnit.SECONDS).join(), UTF_8);
  }

  @Test
  void nobodyWaitsForOneThatDoesNotAnswerAndIsNotAskedTwice() {
    CompletableFuture<Optional<byte[]>> never = new CompletableFuture<>();

    CompletableFuture<byte[]> outcome =
        start(
            60_000,
            node ->
                switch (node) {
                  case "n1" -> never;
                  case "n2" -> elsewhere();
                  default -> times("n3") < 3 ? elsewhere() : told("won");
                });

    assertThat(join(outcome)).isEqualTo("won");
    assertThat(times("n1")).isOne();
    assertThat(times("n2")).isBetween(2L, 3L);
    assertThat(again).hasValue(2);
  }

  @Test
  void whoFailsIsAskedAgain() {
    CompletableFuture<byte[]> outcome =
        start(
            60_000,
            node ->
                node.equals("n2") && times("n2") == 2
                    ? told("lost")
                    : CompletableFuture.failedFuture(new IOException("away")));

    assertThat(join(outcome)).isEqualTo("lost");
  }

  @Test
  void itFailsIfNobodyLeads() {
    assertThatThrownBy(() -> join(start(1, node -> elsewhere())))
        .hasMessageContaining("none of the nodes [n1, n2, n3] leads the register now");
  }

  @Test
  void whatEachHasSaidIsToldWithoutNamesOfClasses() {
    assertThatThrownBy(
            () ->
                join(
                    start(
                        1,
                        node ->
                            CompletableFuture.failedFuture(
                                new CompletionException(new IOException("away"))))))
        .hasMessageContaining("n2=away");
  }

  @Test
  void itFailsIfNobodyCanBeAsked() {
    assertThatThrownBy(
            () ->
                join(
                    start(
                        60_000,
                        node -> {
                          throw new IllegalStateException("closed");
                        })))
        .hasMessageContaining("closed");
  }

  private static Executor without(AtomicInteger threads) {
    return task -> {
      if (threads.getAndIncrement() < 2) {
        throw new OutOfMemoryError("unable to create native thread");
      }
      task.run();
    };
  }

  @Test
  void itFailsIfNoThreadCanBeStartedToAskAgain() {
    Executor full = without(new AtomicInteger());

    assertThatThrownBy(() -> join(RegisterCall.start(KEEPERS, node -> elsewhere(), full, 600_000)))
        .hasMessageContaining("native thread");
  }

  @Test
  void whatIsDoneLaterIsDoneOnceThreadsCanBeStartedAgain() {
    AtomicInteger threads = new AtomicInteger();
    CompletableFuture<byte[]> done = new CompletableFuture<>();

    DeferredExecutor.execute(() -> done.complete("done".getBytes(UTF_8)), 1, without(threads));

    assertThat(join(done)).isEqualTo("done");
    assertThat(threads).hasValue(3);
  }
}
