package io.github.stablecut.cluster;

import io.github.stablecut.Scan;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Watch;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import java.time.Duration;
import java.util.Objects;

/**
 * Reads objects on all nodes until it gets the order to stop, and then tries the other features.
 */
final class TlsNodesMain {
  private static final int KEYS = 24;

  private TlsNodesMain() {}

  private static CounterKey key(int number) {
    return Key.counter("b", "k%02d".formatted(number));
  }

  public static void main(String[] uri) throws Exception {
    try (Store store = Stablecut.connect(uri[0]);
        Watch watch = store.watch("b")) {
      while (System.in.available() == 0) {
        for (int i = 0; i < KEYS; i++) {
          Objects.requireNonNull(store.read(key(i)));
        }
      }
      long counted = 0;
      for (int i = 0; i < KEYS; i++) {
        store.update(key(i).increment());
        counted += store.read(key(i));
      }
      long scanned;
      try (Scan scan = store.snapshot().scan("b")) {
        scanned = scan.stream().count();
      }
      int watched = 0;
      while (watched < KEYS && watch.poll(Duration.ofSeconds(30)).isPresent()) {
        watched++;
      }
      RegisterKey<String> large = Key.register("large", "k", Codec.string());
      Objects.requireNonNull(
          store.transact(
              tx -> {
                tx.update(large.assign("x".repeat(100_000)));
                return tx.read(large);
              }));
      System.out.printf(
          "%d counted, %d scanned, %d watched, large: %d%n",
          counted, scanned, watched, store.read(large).orElseThrow().length());
    }
  }
}
