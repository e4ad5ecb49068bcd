package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that stops answers or refuses each request, so that no outcome is unknown. */
final class ServerStoppingTest {
  private static final CounterKey LIKES = Key.counter("posts", "likes");
  private static final int CLIENTS = 8;
  private static final int ROUNDS = 5;

  @TempDir private Path directory;

  private final AtomicLong acknowledged = new AtomicLong();

  @Test
  void noUpdateHasAnUnknownOutcome() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      stopUnderLoad();
    }

    try (Store store = Stablecut.open(directory.resolve("data"))) {
      assertThat(store.read(LIKES)).isEqualTo(acknowledged.get());
    }
  }

  private void stopUnderLoad() throws Exception {
    Server server =
        Server.start(
            SettingsLoader.defaults(directory.resolve("data")).withProtocol(Endpoint.loopback(0)));
    String url = "stablecut://127.0.0.1:%d".formatted(server.address().getPort());
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    CountDownLatch updated = new CountDownLatch(100 * CLIENTS);
    List<Future<?>> clients = new ArrayList<>();
    try (Store store = Stablecut.connect(url)) {
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(threads.submit(() -> updateUntilRefused(store, updated)));
      }
      assertThat(updated.await(60, TimeUnit.SECONDS)).isTrue();

      server.close();

      for (Future<?> client : clients) {
        assertThatThrownBy(() -> client.get(60, TimeUnit.SECONDS))
            .isInstanceOf(ExecutionException.class)
            .hasCauseInstanceOf(ServerUnavailableException.class);
      }
    } finally {
      server.close();
      threads.shutdown();
    }
  }

  private void updateUntilRefused(Store store, CountDownLatch updated) {
    while (true) {
      store.update(LIKES.increment(1));
      acknowledged.incrementAndGet();
      updated.countDown();
    }
  }
}
