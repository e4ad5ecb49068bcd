package io.github.stablecut.cluster.internal.operations;

import io.github.stablecut.StoreStatus;
import io.github.stablecut.cluster.PartitionPlace;
import java.util.List;
import java.util.Optional;

/** What the server tells of itself. Thread-safe. */
public interface ServerFacts {
  /** How many clients are connected. */
  int connections();

  /** How many interactive transactions are open. */
  int transactions();

  /** Why it doesn't serve as it should; empty if it does. */
  Optional<String> trouble();

  /** The store's figures. */
  StoreStatus store();

  /** Where the partitions of the cluster are; empty if the store is in no cluster. */
  List<PartitionPlace> ring();
}
