package io.github.stablecut.internal.transaction;

import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.internal.recovery.Lineage;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.transaction.routing.Partitions;
import io.github.stablecut.option.StoreOptions;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A store's identity and resources.
 *
 * @param epoch how often it was opened here, including this time
 * @param lineage the openings of the store
 * @param checkpoints the checkpoint files of each partition; empty if some partitions are remote
 * @param replication of the store; closed with it
 * @param group that the store belongs to, if it is known to have others
 * @param release releases resources after the partitions are closed
 */
record StoreContext(
    StoreIdentity identity,
    long epoch,
    Lineage lineage,
    List<Directory> checkpoints,
    Optional<EmbeddedReplication> replication,
    Supplier<Optional<Membership>> group,
    Runnable release) {
  /**
   * Begins a store. Closes its partitions and its replication if this throws.
   *
   * @param origin opens the resources
   */
  static EmbeddedStore begin(
      Partitions partitions, StoreOptions options, Supplier<StoreContext> origin) {
    Optional<EmbeddedReplication> replication = Optional.empty();
    try {
      StoreContext opened = origin.get();
      replication = opened.replication;
      EmbeddedStore store = new EmbeddedStore(opened, partitions, options);
      replication.ifPresent(begun -> begun.exchangeRights(store));
      return store;
    } catch (RuntimeException | Error e) {
      replication.ifPresent(EmbeddedReplication::close);
      partitions.close();
      throw e;
    }
  }
}
