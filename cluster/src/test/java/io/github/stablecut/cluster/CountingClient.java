package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A client that increments its own counter, reads it in between, and reconnects after a lost
 * connection. Each read returns the acknowledged count, or one more if an answer was lost.
 */
final class CountingClient implements Runnable {
  private final String key;
  private final ServerAddress server;

  /** A lower bound of the counter. */
  private final AtomicLong acknowledged = new AtomicLong();

  private final AtomicLong answers = new AtomicLong();
  private volatile boolean stopped;
  private volatile Optional<Throwable> failure = Optional.empty();

  CountingClient(int number, ServerAddress server) {
    this.key = "counter " + number;
    this.server = server;
  }

  @Override
  public void run() {
    while (!stopped) {
      try (WireClient client = new WireClient(server.get())) {
        acknowledged.set(read(client));
        while (!stopped) {
          client.update(WireClient.add(key, 1));
          long expected = acknowledged.incrementAndGet();
          assertThat(client.count(key)).isEqualTo(expected);
          answers.incrementAndGet();
        }
      } catch (IOException e) {
        LockSupport.parkNanos(10_000_000);
      } catch (Throwable e) {
        failure = Optional.of(e);
        return;
      }
    }
  }

  /** Reads the counter and checks its value. */
  long read(WireClient client) throws IOException {
    long now = client.count(key);
    long expected = acknowledged.get();
    assertThat(now).as("%s, acknowledged %d", key, expected).isBetween(expected, expected + 1);
    return now;
  }

  long answers() {
    return answers.get();
  }

  void stop() {
    stopped = true;
  }

  /** Throws the failure, if there was one. */
  void check() {
    failure.ifPresent(
        cause -> {
          throw new AssertionError(key + " went wrong", cause);
        });
  }
}
