package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A client that counts up its own counter, reads it between, and connects again when the connection
 * is gone: whatever it reads is what it was acknowledged, or one more that it was not told of.
 */
final class Counting implements Runnable {
  private final String key;
  private final ServerAddress server;

  /** What the counter surely is. */
  private final AtomicLong acknowledged = new AtomicLong();

  private final AtomicLong answers = new AtomicLong();
  private volatile boolean stopped;
  private volatile Optional<Throwable> failure = Optional.empty();

  Counting(int number, ServerAddress server) {
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
          long told = acknowledged.incrementAndGet();
          assertThat(client.count(key)).isEqualTo(told);
          var unused = answers.incrementAndGet();
        }
      } catch (IOException e) {
        LockSupport.parkNanos(10_000_000);
      } catch (Throwable e) {
        failure = Optional.of(e);
        return;
      }
    }
  }

  /** Looks whether the counter is what it must be. */
  long read(WireClient client) throws IOException {
    long now = client.count(key);
    long told = acknowledged.get();
    assertThat(now).as("%s, acknowledged %d", key, told).isBetween(told, told + 1);
    return now;
  }

  long answers() {
    return answers.get();
  }

  void stop() {
    stopped = true;
  }

  /** Throws what went wrong, if anything did. */
  void check() {
    failure.ifPresent(
        cause -> {
          throw new AssertionError(key + " went wrong", cause);
        });
  }
}
