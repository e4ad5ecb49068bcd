package io.github.stablecut.cluster.internal.datacentre;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.link.DataCentreInfo;
import io.github.stablecut.log.Log;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.replication.DataCentres;
import io.github.stablecut.replication.Replication;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;

/**
 * Lets the store of a standalone server join other data centres while the server runs: closes it,
 * recreates it from their data, and opens it. Confined to one thread at a time.
 */
public final class StoreExchange implements ServerDataCentre.GroupJoiner {
  private static final Logger LOG = Log.of(StoreExchange.class);

  private final Path data;
  private final StoreOptions options;
  private final ServedStore store;
  private final Runnable beforeExchange;

  /** The replication for the next opening of the store. */
  private Replication replication;

  /**
   * @param options the store's options, with replication over TCP
   * @param beforeExchange ends the clients' transactions and handles
   */
  public StoreExchange(
      Path data, StoreOptions options, ServedStore store, Runnable beforeExchange) {
    this.data = data;
    this.options = options;
    this.store = store;
    this.beforeExchange = beforeExchange;
    // Other data centres know the port in use: keep it.
    Replication configured = options.replication().orElseThrow();
    this.replication =
        configured.withListen(
            configured
                .listen()
                .orElseThrow()
                .replaceFirst(":0$", ":" + dataCentres().port().orElseThrow()));
  }

  private DataCentres dataCentres() {
    return store.get().dataCentres();
  }

  @Override
  public void join(List<String> addresses, DataCentreInfo group) {
    int partitions = options.partitions();
    if (partitions != 0 && partitions != group.partitions()) {
      throw new ReplicationRefusedException(
          "the data centre at %s has %d partitions, and this one is set to %d: start this one with the same number (--partitions)"
              .formatted(addresses.get(0), group.partitions(), partitions));
    }
    Replication joining = replication;
    for (String address : addresses) {
      joining = joining.join(address);
    }
    Replication next = joining;
    beforeExchange.run();
    List<StablecutException> failures = new ArrayList<>(1);
    store.exchange(before -> exchange(before, next, failures));
    for (StablecutException failure : failures) {
      throw failure;
    }
    if (dataCentres().group() != group.group()) {
      throw new ReplicationRefusedException(
          "this store was written to meanwhile and so did not join the one at %s: export it, join with an empty directory, and import it there"
              .formatted(addresses.get(0)));
    }
    LOG.info("the store is now data centre {} in the group of {}", dataCentres().own(), addresses);
  }

  private Store exchange(Store before, Replication next, List<StablecutException> failures) {
    before.close();
    try {
      Store opened = Stablecut.open(data, options.withReplication(next));
      replication = next;
      return opened;
    } catch (StablecutException e) {
      failures.add(e);
      return Stablecut.open(data, options.withReplication(replication));
    }
  }
}
