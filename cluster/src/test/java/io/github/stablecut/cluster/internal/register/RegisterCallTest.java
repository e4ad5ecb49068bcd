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

/** A call finds the current leader of the register. */
final class RegisterCallTest {
  private static final List<String> KEEPERS = List.of("n1", "n2", "n3");

  private final List<String> requests = Collections.synchronizedList(new ArrayList<>());

  /** The number of retries. */
  private final AtomicInteger retries = new AtomicInteger();

  private static CompletableFuture<Optional<byte[]>> outcome(String outcome) {
    return CompletableFuture.completedFuture(Optional.of(outcome.getBytes(UTF_8)));
  }

  private static CompletableFuture<Optional<byte[]>> notLeader() {
    return CompletableFuture.completedFuture(Optional.empty());
  }

  private long times(String node) {
    return requests.stream().filter(node::equals).count();
  }

  private CompletableFuture<byte[]> start(
      int timeoutMillis, Function<String, CompletionStage<Optional<byte[]>>> answers) {
    return RegisterCall.start(
        KEEPERS,
        node -> {
          requests.add(node);
          return answers.apply(node);
        },
        task -> {
          retries.incrementAndGet();
          task.run();
        },
        timeoutMillis);
  }

  private static String join(CompletableFuture<byte[]> outcome) {
    return new String(outcome.orTimeout(60, TimeUnit.SECONDS).join(), UTF_8);
  }

  @Test
  void doesNotWaitForASilentKeeperNorAskItTwice() {
    CompletableFuture<Optional<byte[]>> never = new CompletableFuture<>();

    CompletableFuture<byte[]> outcome =
        start(
            60_000,
            node ->
                switch (node) {
                  case "n1" -> never;
                  case "n2" -> notLeader();
                  default -> times("n3") < 3 ? notLeader() : outcome("won");
                });

    assertThat(join(outcome)).isEqualTo("won");
    assertThat(times("n1")).isOne();
    assertThat(times("n2")).isBetween(2L, 3L);
    assertThat(retries).hasValue(2);
  }

  @Test
  void retriesAfterAFailure() {
    CompletableFuture<byte[]> outcome =
        start(
            60_000,
            node ->
                node.equals("n2") && times("n2") == 2
                    ? outcome("lost")
                    : CompletableFuture.failedFuture(new IOException("away")));

    assertThat(join(outcome)).isEqualTo("lost");
  }

  @Test
  void failsIfNoKeeperLeads() {
    assertThatThrownBy(() -> join(start(1, node -> notLeader())))
        .hasMessageContaining(
            "none of the nodes [n1, n2, n3] leads the configuration register now");
  }

  @Test
  void reportsTheKeepersAnswersWithoutClassNames() {
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
  void failsIfNoKeeperCanBeAsked() {
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
  void failsIfNoThreadCanStartForTheRetry() {
    Executor full = without(new AtomicInteger());

    assertThatThrownBy(() -> join(RegisterCall.start(KEEPERS, node -> notLeader(), full, 600_000)))
        .hasMessageContaining("native thread");
  }

  @Test
  void aDeferredTaskRunsOnceThreadsCanStartAgain() {
    AtomicInteger threads = new AtomicInteger();
    CompletableFuture<byte[]> done = new CompletableFuture<>();

    DeferredExecutor.execute(() -> done.complete("done".getBytes(UTF_8)), 1, without(threads));

    assertThat(join(done)).isEqualTo("done");
    assertThat(threads).hasValue(3);
  }
}
