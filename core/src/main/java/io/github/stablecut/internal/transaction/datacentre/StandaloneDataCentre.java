package io.github.stablecut.internal.transaction.datacentre;

import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.internal.recovery.Member;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.replication.DataCentre;
import io.github.stablecut.replication.DataCentres;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The data centre of a store that does not replicate in this process. Thread-safe.
 *
 * @param identity of the store
 * @param isNew whether nothing was ever written to it
 * @param now the store's time
 * @param known the group that it nevertheless belongs to: it was opened with replication before, or
 *     other nodes of its cluster replicate
 * @param isCluster whether the store is a node of a cluster
 */
public record StandaloneDataCentre(
    StoreIdentity identity,
    boolean isNew,
    Instant now,
    Optional<Membership> known,
    boolean isCluster)
    implements DataCentres {
  @Override
  public int own() {
    return identity.dataCentre().number();
  }

  @Override
  public long group() {
    return known.map(Membership::group).orElseGet(identity::id);
  }

  @Override
  public void leave(Duration atMost) {
    throw without();
  }

  @Override
  public OptionalInt port() {
    return OptionalInt.empty();
  }

  @Override
  public List<DataCentre> all() {
    List<DataCentre> all = new ArrayList<>();
    known
        .orElseGet(() -> Membership.founding(identity))
        .members()
        .forEach((number, member) -> all.add(dataCentre(number, member)));
    return List.copyOf(all);
  }

  private DataCentre dataCentre(int number, Member member) {
    boolean isOwn = number == own();
    Instant has = isOwn ? now : Instant.EPOCH;
    return DataCentre.builder(
            number, member.storeId(), DataCentre.State.valueOf(member.state().name()))
        .address(member.addresses().isEmpty() ? Optional.empty() : Optional.of(member.address()))
        .isReachable(isOwn)
        .received(has)
        .acknowledged(has)
        .build();
  }

  @Override
  public void detach(int number) {
    throw new IllegalArgumentException(
        "there is no data centre %d: the store was opened without replication".formatted(number));
  }

  @Override
  public int invite(Path target) {
    throw without();
  }

  private static ReplicationRefusedException without() {
    return new ReplicationRefusedException(
        "the store was opened without replication: open it with StoreOptions.withReplication");
  }
}
