package io.github.stablecut.examples.verification;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;

/** A store in this process, without faults. Thread-safe. */
final class EmbeddedTarget implements TargetStores {
  private final Store store;

  EmbeddedTarget(Path directory, int partitions) {
    this.store = Stablecut.open(directory, StoreOptions.defaults().withPartitions(partitions));
  }

  @Override
  public Store open(int client) {
    return store;
  }

  @Override
  public void release(Store store) {}

  @Override
  public String inject() {
    return "none";
  }

  @Override
  public void heal() {}

  @Override
  public void close() {
    store.close();
  }
}
