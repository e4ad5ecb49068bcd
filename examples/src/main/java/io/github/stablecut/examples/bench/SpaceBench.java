package io.github.stablecut.examples.bench;

import io.github.stablecut.StoreStatus;
import io.github.stablecut.examples.bench.counter.StoreCounters;
import io.github.stablecut.examples.trace.LiveHeap;
import io.github.stablecut.file.FileTrees;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures the disk space and heap of a transaction of one increment, before and after a
 * checkpoint.
 */
@Command(name = "space", description = "Bytes per transaction, on the disk and in the heap")
final class SpaceBench implements Callable<Integer> {
  private static final int AT_ONCE = 1_000;

  @Option(names = "--keys", defaultValue = "1000", description = "counters (${DEFAULT-VALUE})")
  private int keys;

  @Option(
      names = "--transactions",
      defaultValue = "300000",
      description = "increments (${DEFAULT-VALUE})")
  private int transactions;

  @Mixin private Workspace workspace = new Workspace();

  @Override
  public Integer call() throws Exception {
    Path directory = workspace.create();
    try (StoreCounters store = new StoreCounters(directory, keys)) {
      System.out.println(Machine.describe(directory));
      System.out.println("moment,heap_bytes_per_transaction,disk_bytes_per_transaction");
      long heapBefore = LiveHeap.usedBytes();
      increment(store);
      print("before a checkpoint", store, heapBefore);
      store.store().checkpoint();
      print("after a checkpoint", store, heapBefore);
    } finally {
      FileTrees.delete(directory);
    }
    return 0;
  }

  private void increment(StoreCounters store) {
    List<CompletionStage<?>> onTheirWay = new ArrayList<>();
    for (int i = 0; i < transactions; i++) {
      onTheirWay.add(store.store().updateAsync(store.key(i % keys).increment()));
      if (onTheirWay.size() == AT_ONCE || i == transactions - 1) {
        onTheirWay.forEach(stage -> stage.toCompletableFuture().join());
        onTheirWay.clear();
      }
    }
  }

  private void print(String moment, StoreCounters store, long heapBefore) {
    StoreStatus status = store.store().status();
    long disk = status.journal().allocatedBytes() + status.checkpoints().bytes();
    System.out.printf(
        "%s,%.0f,%.0f%n",
        moment,
        (double) (LiveHeap.usedBytes() - heapBefore) / transactions,
        (double) disk / transactions);
  }
}
