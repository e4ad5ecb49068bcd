package io.github.stablecut.cluster;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Pin;
import io.github.stablecut.Scan;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Watch;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.Put;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.WatchOptions;
import java.nio.file.Path;
import java.util.List;

/**
 * Uses the features of a remote store, tries to open one in this process, and prints the result.
 */
final class ClientMain {
  private static final CounterKey COUNT = Key.counter("b", "count");
  private static final RegisterKey<String> NAME = Key.register("b", "name", Codec.string());

  private ClientMain() {}

  public static void main(String[] args) throws Exception {
    try (Store store = Stablecut.connect(args[0])) {
      use(store);
      System.out.println("used");
    }
    try (Store opened = Stablecut.open(Path.of(args[1]))) {
      System.out.println("opened store " + opened.status().storeId());
    } catch (RuntimeException | LinkageError e) {
      System.out.println(e.getMessage());
    }
  }

  private static void use(Store store) throws InterruptedException {
    CausalToken first = store.update(COUNT.increment(), NAME.assign("a"));
    store.run(tx -> tx.update(COUNT.increment(tx.read(COUNT))));
    List<Query<?>> read = List.of(COUNT);
    check(
        store.compareAndUpdate(read, found -> found.get(COUNT) == 2, NAME.assign("b")).isWritten());
    CausalToken last = store.openSession().update(1, COUNT.increment());
    try (Pin pin = store.pin(first);
        Scan scan = store.at(last).scan(ScanOptions.bucket("b"));
        Watch watch = store.watch("b", "", WatchOptions.after(first))) {
      check(pin.read(COUNT) == 1);
      check(scan.next().bucket().equals(COUNT.bucket()));
      check(watch.next().read(COUNT) == 2);
    }
    TableMap map = TableMap.over(store);
    Table table =
        Table.named("n", "t").partitionKey("p", ColumnType.TEXT).column("v", ColumnType.INT);
    map.createNamespace("n");
    map.createTable(table);
    check(map.mutate(List.of(Put.of(table.key("k")).value("v", 1))));
    check(map.get(table.key("k")).isPresent());
    check(store.status().partitions() > 0);
  }

  private static void check(boolean isExpected) {
    if (!isExpected) {
      throw new AssertionError("the store says something else");
    }
  }
}
