package io.github.stablecut.cluster.internal.datacentre;

import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.internal.link.DataCentreInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Data centres that are to become one group, as one of them sees it. Each one of them is told so,
 * and decides for itself what it does: so they decide alike, whoever is told first. Immutable.
 *
 * @param own what this one is
 * @param others who else is to be in the group, by addresses
 */
record GroupCreation(DataCentreInfo own, List<Other> others) {
  /** Another one. */
  record Other(String address, DataCentreInfo about) {}

  GroupCreation {
    others = List.copyOf(others);
  }

  /** Those that are in another group. */
  private List<Other> foreign() {
    return others.stream().filter(other -> other.about.group() != own.group()).toList();
  }

  /**
   * Whom this one joins, if all are told to meet: those that have data or are several. Of data
   * centres that are all new the one whose store has the lowest id begins the group.
   *
   * @return addresses of one group; empty if this one joins nobody
   * @throws ReplicationRefusedException if two have data
   */
  List<String> joined() {
    List<Other> foreign = foreign();
    List<Other> begun = new ArrayList<>(foreign);
    begun.removeIf(other -> other.about.isNew());
    checkOneGroup(begun);
    if (!own.isNew()) {
      checkHasNone(begun);
      return List.of();
    }
    if (!begun.isEmpty()) {
      return addresses(begun);
    }
    return foreign.stream()
        .min((one, other) -> Long.compareUnsigned(one.about.store(), other.about.store()))
        .filter(first -> isBefore(first.about.store(), own.store()))
        .map(first -> List.of(first.address))
        .orElse(List.of());
  }

  /**
   * Whom this one joins, if it alone is told to.
   *
   * @return addresses of one group; empty if it is in it
   * @throws ReplicationRefusedException if it has data, or is told to join itself
   */
  List<String> joinedAlone() {
    for (Other other : others) {
      if (other.about.store() == own.store()) {
        throw new ReplicationRefusedException(
            "the data centre at %s is this one: name the address of another one"
                .formatted(other.address));
      }
    }
    List<Other> foreign = foreign();
    checkOneGroup(foreign);
    if (!own.isNew()) {
      for (Other other : foreign) {
        if (other.about.isNew()) {
          throw new ReplicationRefusedException(
              "data centre %d of group %016x can't join the one at %s, as it has data or others in its group, and that one is new: have that one connect to this one"
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

  private static List<String> addresses(List<Other> others) {
    return others.stream().map(Other::address).toList();
  }

  private static void checkOneGroup(List<Other> begun) {
    Set<Long> groups = begun.stream().map(other -> other.about.group()).collect(Collectors.toSet());
    if (groups.size() > 1) {
      throw new ReplicationRefusedException(
          "the data centres at %s are in %d groups, which can't become one: export the stores of all groups but one, have new ones join that, and import there"
              .formatted(addresses(begun), groups.size()));
    }
  }

  private void checkHasNone(List<Other> begun) {
    if (!begun.isEmpty()) {
      throw new ReplicationRefusedException(
          "both this store and the one at %s have data or others in their groups, and two groups can't become one: export one store, have it join with an empty directory, and import it there"
              .formatted(begun.get(0).address));
    }
  }
}
