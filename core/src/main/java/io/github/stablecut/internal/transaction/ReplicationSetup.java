package io.github.stablecut.internal.transaction;

import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.replication.Replication;
import java.util.Optional;

/**
 * What replication is made of.
 *
 * @param place where the partitions are
 * @param membership which data centres there are
 */
public record ReplicationSetup(ReplicationHost place, Membership membership, Replication options) {
  /**
   * What a store's replication is made of that may take part.
   *
   * @param setBack why its directory can't any more
   * @param known the group that it was in before
   * @throws ReplicationRefusedException if it may not
   */
  public static ReplicationSetup checked(
      ReplicationHost place,
      Optional<String> setBack,
      Optional<Membership> known,
      Replication options) {
    checkTakesPart(place.identity(), setBack, known);
    return new ReplicationSetup(
        place, known.orElseGet(() -> Membership.founding(place.identity())), options);
  }

  StoreIdentity identity() {
    return place.identity();
  }

  /** Checks that a store may take part in its group. */
  static void checkTakesPart(
      StoreIdentity identity, Optional<String> setBack, Optional<Membership> known) {
    if (setBack.isPresent()) {
      throw new ReplicationRefusedException(setBack.get());
    }
    int own = identity.dataCentre().number();
    boolean isDetached =
        known
            .map(group -> group.members().get(own))
            .map(member -> !member.takesPart())
            .orElse(false);
    if (isDetached) {
      throw new ReplicationRefusedException(
          "the store was data centre %d of its group and was detached: open it without replication and export what the others lack, then join again with an empty directory"
              .formatted(own));
    }
  }
}
