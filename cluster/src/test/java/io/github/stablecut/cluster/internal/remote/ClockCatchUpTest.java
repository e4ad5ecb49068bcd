package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A token ahead of a node's clock is accepted if another node's clock has reached it. */
class ClockCatchUpTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final NodeClock clock =
      new NodeClock(
          EmbeddedStore.clock(StoreOptions.defaults().withClock(() -> NOW)),
          NodeSettings.DEFAULT_CLOCK_DRIFT);

  /** The numbers of the requests to the other node. */
  private final List<Long> requestNumbers = new ArrayList<>();

  private final PendingRequests requests =
      Nowhere.requests(
          view(),
          new RecordingSender(),
          TrafficBudgets.shared("n1", 1 << 20).requestsOut(),
          Runnable::run,
          Duration.ofSeconds(5));
  private final ClockCatchUp newest = new ClockCatchUp("n1", clock, requests, view());

  private final class RecordingSender extends Nowhere {

    @Override
    public void send(
        String node,
        int partition,
        long epoch,
        long number,
        Bytes request,
        Consumer<Boolean> done) {
      done.accept(true);
      assertThat(node).isEqualTo("n2");
      synchronized (requestNumbers) {
        requestNumbers.add(number);
        requestNumbers.notifyAll();
      }
    }
  }

  private static MembershipView view() {
    MembershipView view = new MembershipView();
    view.publish(List.of(), Map.of("n1", "127.0.0.1:1", "n2", "127.0.0.1:2"), List.of());
    return view;
  }

  private static long in(Duration ahead) {
    return Timestamp.of(Timestamp.countAt(NOW.plus(ahead).toEpochMilli()), 0);
  }

  private CompletableFuture<Void> await(Duration ahead) {
    return CompletableFuture.runAsync(
        () -> newest.await(in(ahead)), task -> new Thread(task).start());
  }

  /** Answers a request as a node whose clock is ahead. */
  private void answer(int number, Duration ahead) throws InterruptedException {
    long request;
    synchronized (requestNumbers) {
      while (requestNumbers.size() <= number) {
        requestNumbers.wait();
      }
      request = requestNumbers.get(number);
    }
    clock.observe(in(ahead)); // as the inbox does with the clock of every answer
    requests.complete(request, new Reply.Done());
  }

  @Test
  void aTokenBelowTheClockNeedsNoRequest() {
    newest.await(in(Duration.ZERO));

    assertThat(requestNumbers).isEmpty();
  }

  @Test
  void acceptsATokenIssuedByANodeWhoseClockIsAhead() throws InterruptedException {
    CompletableFuture<Void> waiting = await(Duration.ofSeconds(20));
    answer(0, Duration.ofSeconds(20));
    waiting.join();

    assertThat(clock.now()).isGreaterThanOrEqualTo(in(Duration.ofSeconds(20)));
  }

  @Test
  void aTokenThatNoNodeIssuedMovesNoClock() throws InterruptedException {
    CompletableFuture<Void> waiting = await(Duration.ofSeconds(50));
    answer(0, Duration.ofMillis(3));
    waiting.join();

    assertThat(clock.now()).isLessThan(in(Duration.ofMillis(4)));
  }

  @Test
  void givesUpOnATokenIfTheNodeDoesNotAnswer() {
    CompletableFuture<Void> waiting = await(Duration.ofSeconds(50));
    waiting.join();

    assertThat(clock.now()).isLessThan(in(Duration.ofMillis(1)));
  }

  @Test
  void tokensThatArriveDuringARoundShareTheNextRound() throws InterruptedException {
    List<CompletableFuture<Void>> waiting = new ArrayList<>();
    waiting.add(await(Duration.ofSeconds(20)));
    awaitPendingAnswer();
    for (int i = 0; i < 20; i++) {
      waiting.add(await(Duration.ofSeconds(30)));
    }
    answer(0, Duration.ofSeconds(20));
    answer(1, Duration.ofSeconds(30));
    waiting.forEach(CompletableFuture::join);

    assertThat(requestNumbers.size()).isBetween(2, 3);
    assertThat(clock.now()).isGreaterThanOrEqualTo(in(Duration.ofSeconds(30)));
  }

  private void awaitPendingAnswer() throws InterruptedException {
    synchronized (requestNumbers) {
      while (requestNumbers.isEmpty()) {
        requestNumbers.wait();
      }
    }
  }
}
