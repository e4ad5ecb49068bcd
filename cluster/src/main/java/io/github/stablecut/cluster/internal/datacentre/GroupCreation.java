package io.github.stablecut.cluster.internal.datacentre;

import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.internal.link.DataCentreInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The formation of one group from several data centres, as one of them sees it. Each of them
 * decides for itself, by rules that give the same result in whatever order they are commanded.
 * Immutable.
 *
 * @param own this data centre
 * @param others the other members of the group
 */
record GroupCreation(DataCentreInfo own, List<OtherDataCentre> others) {
  /** Another data centre and its address. */
  record OtherDataCentre(String address, DataCentreInfo about) {}

  GroupCreation {
    others = List.copyOf(others);
  }

  /** Returns the data centres of other groups. */
  private List<OtherDataCentre> foreign() {
    return others.stream().filter(other -> other.about.group() != own.group()).toList();
  }

  /**
   * Decides which group this data centre joins if all get the command: the group that has data or
   * several members. If all are new, the one with the lowest store id starts the group.
   *
   * @return addresses of one group; empty if this data centre joins none
   * @throws ReplicationRefusedException if two groups have data
   */
  List<String> joined() {
    List<OtherDataCentre> foreign = foreign();
    List<OtherDataCentre> established = new ArrayList<>(foreign);
    established.removeIf(other -> other.about.isNew());
    checkOneGroup(established);
    if (!own.isNew()) {
      checkHasNone(established);
      return List.of();
    }
    if (!established.isEmpty()) {
      return addresses(established);
    }
    return foreign.stream()
        .min((one, other) -> Long.compareUnsigned(one.about.store(), other.about.store()))
        .filter(first -> isBefore(first.about.store(), own.store()))
        .map(first -> List.of(first.address))
        .orElse(List.of());
  }

  /**
   * Decides which group this data centre joins if it alone gets the command.
   *
   * @return addresses of one group; empty if it already belongs to it
   * @throws ReplicationRefusedException if this data centre has data, or is to join itself
   */
  List<String> joinedAlone() {
    for (OtherDataCentre other : others) {
      if (other.about.store() == own.store()) {
        throw new ReplicationRefusedException(
            "the data centre at %s is this one: name the address of another"
                .formatted(other.address));
      }
    }
    List<OtherDataCentre> foreign = foreign();
    checkOneGroup(foreign);
    if (!own.isNew()) {
      for (OtherDataCentre other : foreign) {
        if (other.about.isNew()) {
          throw new ReplicationRefusedException(
              "data centre %d of group %016x can't join the new one at %s, as it has data or others in its group: connect the new one to this one instead"
                  .formatted(own.number(), own.group(), other.address));
        }
      }
      checkHasNone(foreign);
    }
    return addresses(foreign);
  }

  private static boolean isBefore(long one, long other) {
    return Long.compareUnsigned(one, other) < 0;
  }

  private static List<String> addresses(List<OtherDataCentre> others) {
    return others.stream().map(OtherDataCentre::address).toList();
  }

  private static void checkOneGroup(List<OtherDataCentre> established) {
    Set<Long> groups =
        established.stream().map(other -> other.about.group()).collect(Collectors.toSet());
    if (groups.size() > 1) {
      throw new ReplicationRefusedException(
          "the data centres at %s are in %d groups, which can't be merged: export the stores of all groups but one, let new data centres join that, and import there"
              .formatted(addresses(established), groups.size()));
    }
  }

  private void checkHasNone(List<OtherDataCentre> established) {
    if (!established.isEmpty()) {
      throw new ReplicationRefusedException(
          "both this store and the one at %s have data or others in their groups, and two groups can't be merged: export one store, let it join with an empty directory, and import it there"
              .formatted(established.get(0).address));
    }
  }
}
