package io.github.stablecut.examples.bench.object;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.Scan;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.key.Update;
import java.nio.file.Path;
import java.util.Locale;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;

/** Opens the data of {@code ObjectsBench} in its own process, and prints figures. */
public final class ObjectsReader {
  private static final int COLD_FINDS = 200;
  private static final int WARM_FINDS = 300_000;
  private static final int DIRTY = 1_000;

  public enum Target {
    STORE,
    ROCKSDB
  }

  /** The presence of the files in the kernel's page cache. */
  public enum Temperature {
    COLD,
    WARM
  }

  private final Target target;
  private final Temperature temperature;
  private final SampleObjects objects;
  private final SplittableRandom random = new SplittableRandom(System.nanoTime());

  private ObjectsReader(Target target, Temperature temperature, SampleObjects objects) {
    this.target = target;
    this.temperature = temperature;
    this.objects = objects;
  }

  /** Measures; see {@code ObjectsBench} for the arguments. */
  public static void main(String[] args) throws Exception {
    SampleObjects objects = new SampleObjects(Long.parseLong(args[3]), Integer.parseInt(args[4]));
    Target target = Target.valueOf(args[0]);
    ObjectsReader reader = new ObjectsReader(target, Temperature.valueOf(args[1]), objects);
    Path directory = Path.of(args[2]);
    if (target == Target.STORE) {
      reader.readStore(directory.resolve("store"));
    } else {
      reader.readRocks(directory.resolve("rocksdb"));
    }
  }

  private void readStore(Path directory) throws Exception {
    // The first opening loads the process's classes; the second one counts.
    openStore(directory, "first_open_to_answer_ms").close();
    try (Store store = openStore(directory, "open_to_answer_ms")) {
      finds(number -> read(store, number));
      if (temperature == Temperature.WARM) {
        scans(() -> scan(store));
        print("heap_mib", usedHeapMib());
        checkpoint(store);
      }
    }
  }

  private Store openStore(Path directory, String figure) throws Exception {
    long startNanos = System.nanoTime();
    Store store = Stablecut.open(directory);
    find(number -> read(store, number), 1);
    print(figure, (System.nanoTime() - startNanos) / 1e6);
    return store;
  }

  private void readRocks(Path directory) throws Exception {
    long startNanos = System.nanoTime();
    try (RocksObjects rocks = new RocksObjects(directory)) {
      rocks.open();
      find(number -> rocks.find(objects.id(number)), 1);
      print("open_to_answer_ms", (System.nanoTime() - startNanos) / 1e6);
      finds(number -> rocks.find(objects.id(number)));
      if (temperature == Temperature.WARM) {
        scans(rocks::scan);
      }
    }
  }

  private int read(Store store, long number) {
    return store.read(objects.key(number)).map(value -> value.length()).orElse(-1);
  }

  private static long scan(Store store) {
    try (Scan scan = store.snapshot().scan()) {
      return scan.stream().filter(object -> object.value() != null).count();
    }
  }

  private void checkpoint(Store store) {
    Update[] updates = new Update[DIRTY];
    for (int i = 0; i < DIRTY; i++) {
      long number = random.nextLong(objects.count());
      updates[i] = objects.key(number).assign(objects.value(number));
    }
    store.update(updates);
    StoreStatus.Checkpoints before = store.status().checkpoints();
    long startNanos = System.nanoTime();
    store.checkpoint();
    print("checkpoint_ms", (System.nanoTime() - startNanos) / 1e6);
    StoreStatus.Checkpoints after = store.status().checkpoints();
    print("checkpoint_entries", after.entries().get(after.entries().size() - 1));
    print("checkpoint_runs_before", before.runs());
    print("checkpoint_runs_after", after.runs());
  }

  @FunctionalInterface
  private interface Finder {
    int find(long number) throws Exception;
  }

  @FunctionalInterface
  private interface Scanner {
    long scan() throws Exception;
  }

  private void finds(Finder finder) throws Exception {
    Histogram nanos = find(finder, temperature == Temperature.COLD ? COLD_FINDS : WARM_FINDS);
    print("find_p50_us", nanos.getValueAtPercentile(50) / 1e3);
    print("find_p99_us", nanos.getValueAtPercentile(99) / 1e3);
    print("find_max_us", nanos.getMaxValue() / 1e3);
  }

  @CanIgnoreReturnValue
  private Histogram find(Finder finder, int number) throws Exception {
    Histogram nanos = new Histogram(3);
    for (int i = 0; i < number; i++) {
      long wanted = random.nextLong(objects.count());
      long startNanos = System.nanoTime();
      int found = finder.find(wanted);
      nanos.recordValue(System.nanoTime() - startNanos);
      if (found != objects.bytes()) {
        throw new IllegalStateException("object " + wanted + " has " + found + " bytes");
      }
    }
    return nanos;
  }

  private void scans(Scanner scanner) throws Exception {
    for (String figure : new String[] {"first_scan_objects_per_s", "scan_objects_per_s"}) {
      long startNanos = System.nanoTime();
      long count = scanner.scan();
      print(figure, count * 1e9 / (System.nanoTime() - startNanos));
      if (count != objects.count()) {
        throw new IllegalStateException("scanned " + count + " objects");
      }
    }
  }

  /** The used heap after a garbage collection. */
  private static double usedHeapMib() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return (runtime.totalMemory() - runtime.freeMemory()) / (double) (1 << 20);
  }

  private void print(String figure, double value) {
    System.out.printf(
        "%s,%s_%s,%.1f%n",
        target.name().toLowerCase(Locale.ROOT),
        temperature.name().toLowerCase(Locale.ROOT),
        figure,
        value);
  }
}
