package io.github.stablecut.examples.bench;

import com.sun.management.OperatingSystemMXBean;
import io.github.stablecut.Scan;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterMapKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ListKey;
import io.github.stablecut.key.TextKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CacheOptions;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.StoreOptions;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksIterator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures reading and editing a part of an object, by the size of the object, compared with
 * collections of the JDK; and a scan of ten objects, by the number of objects in the store,
 * compared with RocksDB's iterator. Figures are processor time: of the calling thread, and for
 * edits of all of the store's threads, so that neither disk waits nor other programs count.
 */
@Command(
    name = "views",
    description = "Parts of objects, and scans of ten objects, by the size of the object or store")
final class ViewsBench implements Callable<Integer> {
  private static final int PAGE = 20;
  private static final int TEN = 10;
  private static final int PER_UPDATE = 1_000;
  private static final int WARM_UPS = 3;
  private static final int ROUNDS = 5;

  /** Holds everything that is measured, so that no figure includes reading evicted pages again. */
  private static final long CACHE_BYTES = 1L << 30;

  private static final String CHANGE = "set: bytes in the journal per added element";
  private static final String CHECKPOINT = "set: bytes of a checkpoint per added element";

  /** Maximum number of concurrent edits. */
  private static final int UNDER_WAY = 64;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  @Option(
      names = "--sizes",
      split = ",",
      defaultValue = "100,10000,1000000",
      description = "elements of an object, and objects of the store (${DEFAULT-VALUE})")
  private List<Integer> sizes = List.of();

  @Option(
      names = "--calls",
      defaultValue = "20000",
      description = "calls per measurement (${DEFAULT-VALUE})")
  private int calls;

  private final AddWinsSetKey<String> set = Key.addWinsSet("b", "set", Codec.string());
  private final CounterMapKey<String> counters = Key.counterMap("b", "counters", Codec.string());
  private final ListKey<String> list = Key.list("b", "list", Codec.string());
  private final TextKey text = Key.text("b", "text");

  @Mixin private Workspace workspace = new Workspace();

  private final Map<String, List<Double>> figures = new LinkedHashMap<>();
  private final Random random = new Random(1);
  private long sum;

  @Override
  public Integer call() throws Exception {
    Path directory = workspace.create();
    try {
      System.out.println(Machine.describe(directory));
      for (int size : sizes) {
        measureObjects(directory.resolve("objects-" + size), size);
        measurePeers(size);
        measureScans(directory.resolve("scans-" + size), size);
      }
      print();
    } finally {
      FileTrees.delete(directory);
    }
    return sum == 0 ? 1 : 0;
  }

  private static StoreOptions options() {
    return StoreOptions.defaults()
        .withDurability(Durability.periodic(Duration.ofSeconds(1)))
        .withCache(CacheOptions.bytes(CACHE_BYTES))
        .withCheckpoints(CheckpointPolicy.byCall());
  }

  private static String name(int number) {
    return "element-%07d".formatted(number);
  }

  private void measureObjects(Path directory, int size) {
    try (Store store = Stablecut.open(directory, options())) {
      for (int from = 0; from < size; from += PER_UPDATE) {
        List<String> names = new ArrayList<>();
        Map<String, Long> amounts = new LinkedHashMap<>();
        for (int i = from; i < Math.min(size, from + PER_UPDATE); i++) {
          names.add(name(i));
          amounts.put(name(i), 1L);
        }
        store.update(
            set.addAll(names),
            counters.incrementAll(amounts),
            list.insertAll(from, names),
            text.insert(from, "x".repeat(names.size())));
      }
      measureParts(store, "", size);
      measureCheckpoint(store, size);
      readAll(store);
      measureParts(store, ", after a checkpoint", size);
    }
  }

  /** Measures JDK collections, which show the effect of the processor's cache misses. */
  private void measurePeers(int size) {
    NavigableSet<String> tree = new TreeSet<>();
    for (int i = 0; i < size; i++) {
      tree.add(name(i));
    }
    Supplier<String> names = () -> some(size);
    measure("JDK's TreeSet: contains", names, (name, i) -> take(tree.contains(name) ? 1 : 2));
    measure("JDK's TreeSet: page of 20", names, (name, i) -> take(page(tree, name)));
    measure(
        "JDK's TreeSet: add or remove",
        () -> some(size) + "x",
        (name, i) -> take(edit(tree, name, i) ? 1 : 2));
    NavigableMap<String, Long> map = new TreeMap<>();
    tree.forEach(name -> map.put(name, 1L));
    measure("JDK's TreeMap: get", names, (name, i) -> take(map.getOrDefault(name, 0L)));
  }

  private static int page(NavigableSet<String> tree, String after) {
    return tree.tailSet(after, false).stream().limit(PAGE).toList().size();
  }

  private static boolean edit(NavigableSet<String> tree, String element, int i) {
    return i % 2 == 0 ? tree.add(element) : tree.remove(element);
  }

  /** Reads all pages, so that no figure includes first reads. */
  private void readAll(Store store) {
    store.read(set).forEach(element -> take(element.length()));
    store.read(counters).forEach((name, count) -> take(count));
    store.read(list).forEach(element -> take(element.length()));
    take(store.read(text).toString().length());
  }

  private void measureParts(Store store, String when, int size) {
    Supplier<String> names = () -> some(size);
    Supplier<String> others = () -> some(size) + "x";
    Supplier<Integer> places = () -> place(size);
    measure(
        "set: contains" + when, names, (name, i) -> take(store.read(set.contains(name)) ? 1 : 2));
    measure("set: size" + when, names, (name, i) -> take(store.read(set.size())));
    measure("set: page of 20" + when, names, (name, i) -> take(page(store, name)));
    measureEdits(
        "set: add or remove" + when, others, (name, i) -> store.updateAsync(edit(set, name, i)));
    measure("counter map: get" + when, names, (name, i) -> take(store.read(counters.get(name))));
    measureEdits(
        "counter map: increment" + when,
        names,
        (name, i) -> store.updateAsync(counters.increment(name)));
    measure("list: get" + when, places, (place, i) -> take(store.read(list.get(place)).hashCode()));
    measureEdits(
        "list: insert or delete" + when,
        places,
        (place, i) -> store.updateAsync(edit(list, place, i)));
    measure(
        "text: slice of 20" + when, places, (place, i) -> take(slice(store, text, place).length()));
    measureEdits(
        "text: insert or delete" + when,
        places,
        (place, i) -> store.updateAsync(edit(text, place, i)));
  }

  private int page(Store store, String after) {
    return store.read(set.pageAfter(after, PAGE)).size();
  }

  /** Measures what a checkpoint writes after a thousand elements were added to the set. */
  private void measureCheckpoint(Store store, int size) {
    store.checkpoint();
    StoreStatus before = store.status();
    for (int i = 0; i < PER_UPDATE; i++) {
      store.update(set.add(some(size) + "-" + i));
    }
    long journal = store.status().journal().allocatedBytes() - before.journal().allocatedBytes();
    store.checkpoint();
    long checkpoint = store.status().checkpoints().bytes() - before.checkpoints().bytes();
    note(CHANGE, (double) journal / PER_UPDATE);
    note(CHECKPOINT, (double) checkpoint / PER_UPDATE);
  }

  private void note(String what, double figure) {
    figures.computeIfAbsent(what, key -> new ArrayList<>()).add(figure);
  }

  private static String slice(Store store, TextKey text, int from) {
    return store.read(text.slice(from, from + PAGE));
  }

  private static Update edit(AddWinsSetKey<String> set, String element, int i) {
    return i % 2 == 0 ? set.add(element) : set.remove(element);
  }

  private static Update edit(ListKey<String> list, int place, int i) {
    return i % 2 == 0 ? list.insert(place, "new") : list.delete(place, 1);
  }

  private static Update edit(TextKey text, int place, int i) {
    return i % 2 == 0 ? text.insert(place, "y") : text.delete(place, 1);
  }

  private void measureScans(Path directory, int size) throws Exception {
    Path rocks = directory.resolveSibling(directory.getFileName() + "-rocks");
    try (Store store = Stablecut.open(directory, options());
        Options options = new Options().setCreateIfMissing(true);
        RocksDB database = RocksDB.open(options, rocks.toString())) {
      for (int from = 0; from < size; from += PER_UPDATE) {
        List<Update> updates = new ArrayList<>();
        for (int i = from; i < Math.min(size, from + PER_UPDATE); i++) {
          updates.add(Key.counter("b", name(i)).increment());
          database.put(Key.counter("b", name(i)).id().toArray(), new byte[] {1});
        }
        store.update(updates.toArray(Update[]::new));
      }
      Supplier<String> names = () -> some(size);
      measure("scan of ten, in memory", names, (name, i) -> take(scan(store, name)));
      store.checkpoint();
      measure("scan of ten, in a checkpoint", names, (name, i) -> take(scan(store, name)));
      measure("scan of ten, RocksDB, in memory", names, (name, i) -> take(scan(database, name)));
      try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
        database.flush(flush);
      }
      measure("scan of ten, RocksDB, in a file", names, (name, i) -> take(scan(database, name)));
    }
  }

  private static int scan(Store store, String from) {
    try (Scan scan = store.snapshot().scan(ScanOptions.bucket("b").from(from).limit(TEN))) {
      int found = 0;
      while (scan.hasNext()) {
        found += scan.next().key().length();
      }
      return found;
    }
  }

  private static int scan(RocksDB database, String from) {
    try (RocksIterator iterator = database.newIterator()) {
      iterator.seek(Key.counter("b", from).id().toArray());
      int found = 0;
      for (int i = 0; i < TEN && iterator.isValid(); i++) {
        found += iterator.key().length + iterator.value().length;
        iterator.next();
      }
      return found;
    }
  }

  private String some(int size) {
    return name(place(size));
  }

  private int place(int size) {
    return random.nextInt(size);
  }

  private void take(long value) {
    sum += value;
  }

  private <T> void measure(String what, Supplier<T> arguments, ObjIntConsumer<T> call) {
    measure(what, THREADS::getCurrentThreadCpuTime, arguments, call);
  }

  /** An asynchronous edit. */
  @FunctionalInterface
  private interface Edit<T> {
    CompletionStage<?> begin(T argument, int number);
  }

  /**
   * Counts the work of other threads for the calls, too. Many edits are in flight at a time:
   * otherwise most of the time would be two threads waking each other, whatever the object's size.
   */
  private <T> void measureEdits(String what, Supplier<T> arguments, Edit<T> edit) {
    Deque<CompletableFuture<?>> underWay = new ArrayDeque<>();
    measure(
        what,
        PROCESS::getProcessCpuTime,
        arguments,
        (argument, i) -> {
          underWay.addLast(edit.begin(argument, i).toCompletableFuture());
          if (underWay.size() > UNDER_WAY) {
            underWay.removeFirst().join();
          }
        });
  }

  /**
   * Measures nanoseconds of processor time per call in the best round, the least disturbed one.
   *
   * @param clock the processor time so far
   * @param arguments creates a call's argument before the measurement begins
   */
  private <T> void measure(
      String what, LongSupplier clock, Supplier<T> arguments, ObjIntConsumer<T> call) {
    double best = Double.MAX_VALUE;
    for (int round = -WARM_UPS; round < ROUNDS; round++) {
      List<T> made = Stream.generate(arguments).limit(calls).toList();
      long begin = clock.getAsLong();
      for (int i = 0; i < calls; i++) {
        call.accept(made.get(i), i);
      }
      double each = (double) (clock.getAsLong() - begin) / calls;
      best = round < 0 ? best : Math.min(best, each);
    }
    note(what, best);
  }

  /**
   * Prints the figures by size, in nanoseconds unless stated otherwise, and the ratio of the last
   * size's to the first size's.
   */
  private void print() {
    StringBuilder header = new StringBuilder("nanoseconds");
    sizes.forEach(size -> header.append(",n=").append(size));
    System.out.println(header.append(",growth"));
    figures.forEach(
        (what, bySize) -> {
          StringBuilder line = new StringBuilder(what);
          bySize.forEach(each -> line.append(",%.0f".formatted(each)));
          double growth = bySize.get(bySize.size() - 1) / bySize.get(0);
          System.out.println(line.append(",%.1f".formatted(growth)));
        });
  }
}
