package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scans of ranges in which most objects were deleted; later scans skip these. */
class DeletedObjectsScanTest {
  private static final int KEYS = 400;

  @TempDir private Path directory;

  private static RegisterKey<String> key(String name) {
    return Key.register("b", name, Codec.string());
  }

  private static String name(int i) {
    return "k%03d".formatted(i);
  }

  private static List<String> scan(Scan opened) {
    List<String> found = new ArrayList<>();
    try (Scan scan = opened) {
      scan.forEachRemaining(object -> found.add(object.key().toUtf8()));
    }
    return found;
  }

  private static List<String> expected(
      NavigableMap<String, String> model, boolean isDescending, int limit) {
    return (isDescending ? model.descendingMap() : model).keySet().stream().limit(limit).toList();
  }

  /** A snapshot and the values that it sees. */
  private record HeldSnapshot(Snapshot snapshot, NavigableMap<String, String> model) {}

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void everySnapshotSeesItsObjects(int seed) {
    Random random = new Random(seed);
    StoreOptions options =
        StoreOptions.defaults()
            .withPartitions(1 + seed % 2)
            .withCheckpoints(CheckpointPolicy.byCall());
    NavigableMap<String, String> model = new TreeMap<>();
    for (int opening = 0; opening < 2; opening++) {
      try (Store store = Stablecut.open(directory, options)) {
        List<HeldSnapshot> held = new ArrayList<>();
        for (int step = 0; step < 250; step++) {
          if (random.nextInt(3) > 0) {
            change(store, model, random);
          }
          if (random.nextInt(20) == 0) {
            store.checkpoint();
          }
          if (random.nextInt(20) == 0) {
            held.add(new HeldSnapshot(store.snapshot(), new TreeMap<>(model)));
          }
          HeldSnapshot at =
              held.isEmpty() || random.nextInt(3) > 0
                  ? new HeldSnapshot(store.snapshot(), model)
                  : held.get(random.nextInt(held.size()));
          check(at, random);
          if (random.nextInt(10) == 0) {
            checkTransaction(store, model, random);
          }
        }
      }
    }
  }

  private static void change(Store store, NavigableMap<String, String> model, Random random) {
    List<Update> updates = new ArrayList<>();
    int first = random.nextInt(KEYS);
    int count = random.nextInt(4) == 0 ? 1 : random.nextInt(60);
    boolean isDeletion = random.nextInt(8) > 0 && count > 1;
    for (int i = first; i < Math.min(KEYS, first + count); i++) {
      RegisterKey<String> key = key(name(i));
      if (isDeletion) {
        model.remove(name(i));
        updates.add(key.clear());
      } else {
        model.put(name(i), "v");
        updates.add(key.assign("v"));
      }
    }
    store.update(updates.toArray(Update[]::new));
  }

  private static void check(HeldSnapshot held, Random random) {
    boolean isDescending = random.nextBoolean();
    int limit = random.nextBoolean() ? 1 : 1 + random.nextInt(40);
    String from = name(random.nextInt(KEYS));
    String until = random.nextBoolean() ? "z" : name(random.nextInt(KEYS));
    ScanOptions options = ScanOptions.bucket("b").from(from).until(until).limit(limit);
    options = isDescending ? options.descending() : options;
    options = random.nextBoolean() ? options.keysOnly() : options;
    NavigableMap<String, String> inside = new TreeMap<>(held.model.tailMap(from, true));
    inside.keySet().removeIf(name -> name.compareTo(until) >= 0);

    assertThat(scan(held.snapshot.scan(options)))
        .as(options.toString())
        .isEqualTo(expected(inside, isDescending, limit));
  }

  private static void checkTransaction(
      Store store, NavigableMap<String, String> model, Random random) {
    try (Transaction transaction = store.begin()) {
      NavigableMap<String, String> own = new TreeMap<>(model);
      for (int i = 0; i < 5; i++) {
        String name = name(random.nextInt(KEYS));
        own.put(name, "own");
        transaction.update(key(name).assign("own"));
      }
      boolean isDescending = random.nextBoolean();
      ScanOptions options = ScanOptions.bucket("b").limit(8);
      assertThat(scan(transaction.scan(isDescending ? options.descending() : options)))
          .isEqualTo(expected(own, isDescending, 8));
      transaction.abort();
    }
  }

  @Test
  void laterScansSeeACommitBesideScansThatSkip() throws Exception {
    try (Store store = Stablecut.open(directory, StoreOptions.defaults())) {
      Update[] all = new Update[KEYS];
      for (int i = 0; i < KEYS; i++) {
        all[i] = key(name(i)).assign("v");
      }
      store.update(all);
      for (int i = 0; i < KEYS; i++) {
        all[i] = key(name(i)).clear();
      }
      store.update(all);
      AtomicBoolean isOver = new AtomicBoolean();
      Thread scanner =
          new Thread(
              () -> {
                while (!isOver.get()) {
                  scan(store.snapshot().scan(ScanOptions.bucket("b").limit(1)));
                }
              });
      scanner.start();
      try {
        Random random = new Random(1);
        for (int i = 0; i < 1_000; i++) {
          String name = name(random.nextInt(KEYS));
          store.update(key(name).assign("v"));
          assertThat(scan(store.snapshot().scan(ScanOptions.bucket("b")))).containsExactly(name);
          store.update(key(name).clear());
          assertThat(scan(store.snapshot().scan(ScanOptions.bucket("b").limit(1)))).isEmpty();
        }
      } finally {
        isOver.set(true);
        scanner.join();
      }
    }
  }
}
