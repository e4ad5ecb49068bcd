package io.github.stablecut.examples.bench;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.terminal.ProgressBar;
import io.github.stablecut.examples.ChildJvm;
import io.github.stablecut.examples.bench.object.ObjectsReader;
import io.github.stablecut.examples.bench.object.PageCache;
import io.github.stablecut.examples.bench.object.RocksObjects;
import io.github.stablecut.examples.bench.object.SampleObjects;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.key.Update;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * A store of many more objects than its memory holds: the time to open it, read it and write a
 * checkpoint, in its own JVM with little memory, compared with RocksDB for reads and scans.
 */
@Command(
    name = "objects",
    description =
        "Millions of objects in a store: open, read, scan, checkpoint, compared with RocksDB")
final class ObjectsBench implements Callable<Integer> {
  private static final int PER_TRANSACTION = 500;
  private static final int AT_ONCE = 64;

  @Option(names = "--objects", defaultValue = "10000000", description = "(${DEFAULT-VALUE})")
  private long count;

  @Option(names = "--bytes", defaultValue = "100", description = "per object (${DEFAULT-VALUE})")
  private int bytes;

  @Option(
      names = "--heap",
      defaultValue = "512m",
      description = "heap of the JVM (${DEFAULT-VALUE})")
  private String heap = "512m";

  @Option(names = "--rounds", defaultValue = "3", description = "rounds (${DEFAULT-VALUE})")
  private int rounds;

  @Mixin private Workspace workspace = new Workspace();

  @Override
  public Integer call() throws Exception {
    Path directory = workspace.create();
    SampleObjects objects = new SampleObjects(count, bytes);
    try {
      System.out.println(Machine.describe(directory));
      System.out.printf("# %,d objects of %d bytes, a heap of %s%n", count, bytes, heap);
      System.out.println("target,figure,value");
      Path store = directory.resolve("store");
      long startNanos = System.nanoTime();
      load(store, objects);
      System.out.printf("store,load_s,%.1f%n", (System.nanoTime() - startNanos) / 1e9);
      try (RocksObjects rocks = new RocksObjects(directory.resolve("rocksdb"))) {
        rocks.load(objects);
      }
      boolean isDone = true;
      for (int round = 0; round < rounds; round++) {
        for (ObjectsReader.Target target : ObjectsReader.Target.values()) {
          if (PageCache.canDrop()) {
            PageCache.drop();
            isDone &= read(target, directory, ObjectsReader.Temperature.COLD);
          }
          isDone &= read(target, directory, ObjectsReader.Temperature.WARM);
        }
      }
      return isDone ? 0 : 1;
    } finally {
      FileTrees.delete(directory);
    }
  }

  private void load(Path directory, SampleObjects objects) {
    Queue<CompletionStage<?>> onTheirWay = new ArrayDeque<>();
    try (Store store = Stablecut.open(directory);
        ProgressBar bar = ProgressBar.onStandardError("objects")) {
      bar.begin("writing", 0);
      for (long i = 0; i < count; i += PER_TRANSACTION) {
        Update[] updates = new Update[(int) Math.min(PER_TRANSACTION, count - i)];
        for (int j = 0; j < updates.length; j++) {
          updates[j] = objects.key(i + j).assign(objects.value(i + j));
        }
        onTheirWay.add(store.updateAsync(updates));
        if (onTheirWay.size() > AT_ONCE) {
          onTheirWay.remove().toCompletableFuture().join();
        }
        bar.update(i, (double) i / count);
      }
      onTheirWay.forEach(stage -> stage.toCompletableFuture().join());
      store.checkpoint();
    }
  }

  private boolean read(
      ObjectsReader.Target target, Path directory, ObjectsReader.Temperature temperature)
      throws IOException, InterruptedException {
    Process child =
        ChildJvm.withHeap(
                heap,
                ObjectsReader.class,
                target.name(),
                temperature.name(),
                directory.toString(),
                Long.toString(count),
                Integer.toString(bytes))
            .inheritIO()
            .start();
    return child.waitFor() == 0;
  }
}
