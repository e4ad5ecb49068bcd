package io.github.stablecut.examples.datacentre;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.replication.Replication;
import io.github.stablecut.replication.ReplicationTransport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A group of stores in new directories, each a data centre. Immutable; the stores are thread-safe.
 */
public final class DataCentreGroup implements AutoCloseable {
  /** The examples write little, so small journal segments suffice. */
  private static final int SEGMENT_BYTES = 4 << 20;

  private final List<Store> stores;

  private DataCentreGroup(List<Store> stores) {
    this.stores = List.copyOf(stores);
  }

  /**
   * Opens a store in each of some places.
   *
   * @param directory the parent of the stores' directories
   * @param places the numbers of the places, in the order of their data centres' numbers
   * @param options of all stores
   */
  public static DataCentreGroup open(
      Path directory, Cables cables, List<Integer> places, StoreOptions options) {
    List<Store> stores = new ArrayList<>();
    try {
      for (int place : places) {
        stores.add(
            open(
                directory.resolve("dc" + stores.size()),
                stores,
                transport -> cables.from(place, places, transport),
                options));
      }
      return new DataCentreGroup(stores);
    } catch (RuntimeException | Error e) {
      stores.forEach(Store::close);
      throw e;
    }
  }

  private static Store open(
      Path directory,
      List<Store> before,
      UnaryOperator<ReplicationTransport> around,
      StoreOptions options) {
    int number = before.size();
    Replication replication = Replication.tcp("127.0.0.1:0").through(around);
    if (number > 0) {
      replication =
          replication.join("127.0.0.1:" + before.get(0).dataCentres().port().orElseThrow());
    }
    Store store =
        Stablecut.open(
            directory,
            options
                .withReplication(replication)
                .withLimits(options.limits().withSegmentBytes(SEGMENT_BYTES)));
    if (store.dataCentres().own() != number) {
      store.close();
      throw new IllegalStateException(
          directory + " is not the directory of a new data centre " + number);
    }
    return store;
  }

  /** The store of a data centre. */
  public Store store(int dataCentre) {
    return stores.get(dataCentre);
  }

  /** All stores, by data centre number. */
  public List<Store> stores() {
    return stores;
  }

  @Override
  public void close() {
    stores.forEach(Store::close);
  }
}
