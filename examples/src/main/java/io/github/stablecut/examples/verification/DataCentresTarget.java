package io.github.stablecut.examples.verification;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.Store;
import io.github.stablecut.examples.datacentre.Cable;
import io.github.stablecut.examples.datacentre.Cables;
import io.github.stablecut.examples.datacentre.DataCentreGroup;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/**
 * Two data centres in this process, whose clients use one of them each. The fault is a cable that
 * is slow or cut. Thread-safe.
 */
final class DataCentresTarget implements TargetStores {
  private static final int NUMBER = 2;

  private final Cables cables = new Cables(NUMBER);
  private final DataCentreGroup group;

  @GuardedBy("this")
  private final Random random;

  DataCentresTarget(Path directory, int partitions, long seed) {
    this.random = new Random(seed);
    this.group =
        DataCentreGroup.open(
            directory, cables, List.of(0, 1), StoreOptions.defaults().withPartitions(partitions));
  }

  @Override
  public Store open(int client) {
    return group.store(client % NUMBER);
  }

  @Override
  public void release(Store store) {}

  @Override
  public synchronized String inject() {
    Cable state = random.nextBoolean() ? Cable.CUT : Cable.SLOW;
    cables.set(0, 1, state);
    return "cable " + state;
  }

  @Override
  public void heal() {
    cables.set(0, 1, Cable.FAST);
  }

  @Override
  public void close() {
    group.close();
  }
}
