package io.github.stablecut.cluster.internal.ring;

import java.util.List;

/** What this node knows now of who owns which partition. Thread-safe; one actor writes it. */
final class RingView {
  /**
   * Who owns a partition.
   *
   * @param node its name; empty if nobody has ever been heard of
   * @param address where it listened last, as {@code host:port}
   * @param epoch the partition's
   * @param isReachable whether it can be asked now
   */
  record Owner(int partition, String node, String address, long epoch, boolean isReachable) {
    /** Nobody. */
    static Owner unknown(int partition) {
      return new Owner(partition, "", "", 0, false);
    }
  }

  private volatile List<Owner> owners = List.of();

  /** The owner of a partition. */
  Owner owner(int partition) {
    List<Owner> now = owners;
    return partition < now.size() ? now.get(partition) : Owner.unknown(partition);
  }

  /** By partition. */
  List<Owner> owners() {
    return owners;
  }

  void publish(List<Owner> newest) {
    owners = List.copyOf(newest);
  }
}
