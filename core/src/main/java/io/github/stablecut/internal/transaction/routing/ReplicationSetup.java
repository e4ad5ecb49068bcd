package io.github.stablecut.internal.transaction.routing;

import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.replication.Replication;
import java.util.Optional;

/**
 * The configuration of a store's replication.
 *
 * @param place the node and its directory
 * @param membership the data centres of the group
 */
public record ReplicationSetup(ReplicationHost place, Membership membership, Replication options) {
  /**
   * Creates the setup of a store after checking that it may take part in its group.
   *
   * @param setBack why its directory may no longer take part
   * @param known the group that the store was in before
   * @throws ReplicationRefusedException if it may not take part
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

  public StoreIdentity identity() {
    return place.identity();
  }

  /** Checks that a store may take part in its group. */
  public static void checkTakesPart(
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
