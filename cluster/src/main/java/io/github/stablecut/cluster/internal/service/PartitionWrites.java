package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.key.Update;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

/**
 * The objects that a transaction writes in one partition. Immutable.
 *
 * @param objects their ids
 */
record PartitionWrites(int partition, Set<Bytes> objects) {
  /**
   * @param updates of one partition; at least one
   */
  static PartitionWrites of(EmbeddedStore store, Update... updates) {
    int partition = store.partitionOf(updates[0].key());
    if (updates.length == 1) {
      return new PartitionWrites(partition, Set.of(updates[0].key().id()));
    }
    Set<Bytes> objects = new HashSet<>();
    for (Update update : updates) {
      objects.add(update.key().id());
    }
    return new PartitionWrites(partition, objects);
  }

  /**
   * Returns whether these writes may begin before earlier ones are durable: both go to the same
   * journal, which keeps their order, and they share no object.
   */
  boolean isIndependentOf(PartitionWrites earlier) {
    return partition == earlier.partition && Collections.disjoint(objects, earlier.objects);
  }
}
