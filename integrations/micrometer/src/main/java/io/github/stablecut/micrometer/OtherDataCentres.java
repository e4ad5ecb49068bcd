package io.github.stablecut.micrometer;

import io.github.stablecut.Store;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.error.UsageException;
import io.github.stablecut.replication.DataCentre;
import io.github.stablecut.replication.DataCentres;
import java.util.List;
import java.util.function.Supplier;

/**
 * The other data centres of a store's group; none for a store that is alone, closed, or remote.
 * Thread-safe.
 */
final class OtherDataCentres implements Supplier<List<DataCentre>> {
  private final Store store;

  OtherDataCentres(Store store) {
    this.store = store;
  }

  @Override
  public List<DataCentre> get() {
    try {
      DataCentres all = store.dataCentres();
      return all.all().stream().filter(one -> one.number() != all.own()).toList();
    } catch (StoreClosedException | UsageException e) {
      return List.of();
    }
  }
}
