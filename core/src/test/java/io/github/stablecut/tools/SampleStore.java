package io.github.stablecut.tools;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.ExpiringKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RecursiveMapKey;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.TextKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Stores with random content on a disk, and manipulations of their files. */
final class SampleStore {
  static final StoreOptions SMALL_SEGMENTS =
      StoreOptions.defaults()
          .withLimits(StoreOptions.Limits.defaults().withSegmentBytes(1 << 20))
          .withCheckpoints(CheckpointPolicy.byCall());

  /** Keeps nothing of the past. */
  static final StoreOptions FORGETFUL =
      SMALL_SEGMENTS.withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO));

  private SampleStore() {}

  /** Executes random transactions, some of them concurrent. */
  static void change(Store store, Random random, int transactions) {
    for (int i = 0; i < transactions; i++) {
      try (Transaction one = store.begin();
          Transaction other = store.begin()) {
        one.update(update(random));
        other.update(update(random), update(random));
        one.commit();
        other.commit();
      }
    }
  }

  private static Update update(Random random) {
    int number = random.nextInt(4);
    String name = "k" + number;
    CounterKey counter = Key.counter("counters", name);
    AddWinsSetKey<String> set = Key.addWinsSet("sets", name, Codec.string());
    RegisterKey<Long> register = Key.register("registers", name, Codec.int64());
    TextKey text = Key.text("texts", name);
    RecursiveMapKey map = Key.map("maps", name);
    ExpiringKey<CounterKey> expiring = Key.expiring(Key.counter("expiring", name));
    List<Update> choices =
        List.of(
            counter.increment(random.nextInt(9)),
            set.add("e" + random.nextInt(5)),
            set.remove("e" + random.nextInt(5)),
            register.assign(random.nextLong()),
            text.insert(0, "t" + random.nextInt(9)),
            map.counter("c").increment(random.nextInt(9)),
            map.addWinsSet("s", Codec.string()).add("x" + random.nextInt(3)),
            map.remove(map.counter("c")),
            Key.resettableCounter("fat", name).increment(2),
            Key.resettableCounter("fat", name).reset(),
            Key.multiValueRegister("mv", name, Codec.int64()).assign(random.nextLong()),
            Key.removeWinsSet("rw", name, Codec.int64()).add(3L),
            Key.removeWinsSet("rw", name, Codec.int64()).remove(3L),
            Key.enableWinsFlag("ew", name).enable(),
            Key.disableWinsFlag("dw", name).disable(),
            Key.list("lists", name, Codec.int64()).insert(0, random.nextLong()),
            Key.list("lists", name, Codec.int64()).clear(),
            expiring.object().increment(random.nextInt(3)),
            expiring.expireAfter(Duration.ofMillis(1 + random.nextInt(3))));
    return choices.get(random.nextInt(choices.size()));
  }

  /** A store after several runs of the program, with checkpoints, history files and segments. */
  static void make(Path directory, StoreOptions options, long seed) {
    Random random = new Random(seed);
    for (int run = 0; run < 3; run++) {
      try (Store store = Stablecut.open(directory, options)) {
        for (int checkpoint = 0; checkpoint < 2; checkpoint++) {
          change(store, random, 15);
          store.checkpoint();
        }
        change(store, random, 5);
      }
    }
  }

  /** The files below a directory, sorted. */
  static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  /** The contents of a directory: names, modification times, and bytes. */
  static Map<String, String> fingerprint(Path directory) throws IOException {
    Map<String, String> all = new TreeMap<>();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        String content =
            Files.isDirectory(file)
                ? "directory"
                : Arrays.hashCode(Files.readAllBytes(file)) + " of " + Files.size(file);
        all.put(file.toString(), Files.getLastModifiedTime(file) + " " + content);
      }
    }
    return all;
  }

  /** Copies a directory, as a crash would leave it if the store is open. */
  @CanIgnoreReturnValue
  static Path copy(Path directory, Path target) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.copy(file, target.resolve(directory.relativize(file).toString()));
      }
    }
    return target;
  }

  /** Flips a bit of a file. */
  static void flip(Path file, long at) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) at] ^= 1;
    Files.write(file, bytes);
  }
}
