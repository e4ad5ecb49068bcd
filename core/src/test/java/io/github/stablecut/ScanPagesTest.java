package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A scan works in pages, and events between them do not change its result. */
class ScanPagesTest {
  private static final int OBJECTS = 2_000;

  @TempDir private Path directory;

  private static CounterKey key(int i) {
    return Key.counter("b", "k%05d".formatted(i));
  }

  @Test
  void checkpointsAndCommitsBetweenThePagesOfAScanChangeNothing() {
    for (long seed = 0; seed < 5; seed++) {
      Random random = new Random(seed);
      try (Store store = Stablecut.open(directory.resolve("s" + seed), StoreOptions.defaults())) {
        Map<String, Long> model = new TreeMap<>();
        for (int batch = 0; batch < 5; batch++) {
          increment(store, model, random, 200);
          if (random.nextInt(3) == 0) {
            store.checkpoint();
          }
        }

        List<String> found = new ArrayList<>();
        try (Scan scan = store.snapshot().scan("b")) {
          Map<String, Long> later = new TreeMap<>(model);
          while (scan.hasNext()) {
            StoredObject object = scan.next();
            found.add(object.key().toUtf8() + "=" + object.value());
            if (random.nextInt(40) == 0) {
              increment(store, later, random, 10);
            }
            if (random.nextInt(150) == 0) {
              store.checkpoint();
            }
          }
        }

        assertThat(found)
            .as("seed " + seed)
            .containsExactlyElementsOf(
                model.entrySet().stream().map(one -> one.getKey() + "=" + one.getValue()).toList());
      }
    }
  }

  private static void increment(Store store, Map<String, Long> model, Random random, int count) {
    Update[] updates = new Update[count];
    for (int i = 0; i < count; i++) {
      CounterKey key = key(random.nextInt(OBJECTS));
      updates[i] = key.increment();
      long before = model.getOrDefault(key.key().toUtf8(), 0L);
      model.put(key.key().toUtf8(), before + 1);
    }
    store.update(updates);
  }
}
