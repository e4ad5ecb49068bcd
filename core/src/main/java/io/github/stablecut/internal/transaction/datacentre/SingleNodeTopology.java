package io.github.stablecut.internal.transaction.datacentre;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.internal.recovery.DataCentreFiles;
import io.github.stablecut.internal.recovery.Lineage;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.recovery.StoreDirectory;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.replication.GlobalStableVector;
import io.github.stablecut.internal.replication.RecordedStableVector;
import io.github.stablecut.internal.transaction.routing.ReplicationHost;
import java.util.List;
import java.util.Optional;

/** The host of a data centre that consists of one store in this process. Thread-safe. */
public final class SingleNodeTopology implements ReplicationHost {
  private final StoreDirectory directory;
  private final List<Directory> checkpoints;
  private final Lineage lineage;
  private final RecordedStableVector arrivals;

  /**
   * @param directory locked
   * @param checkpoints the checkpoint files of each partition
   * @param lineage the openings of the store
   */
  public SingleNodeTopology(
      StoreDirectory directory, List<Directory> checkpoints, Lineage lineage) {
    this.directory = directory;
    this.checkpoints = checkpoints;
    this.lineage = lineage;
    this.arrivals = new RecordedStableVector(checkpoints.size());
  }

  @Override
  public StoreIdentity identity() {
    return directory.identity();
  }

  @Override
  public boolean isCluster() {
    return false;
  }

  @Override
  public void save(Membership membership) {
    directory.dataCentre().save(membership);
  }

  @Override
  public DataCentreFiles files() {
    return directory.dataCentre();
  }

  @Override
  public Directory checkpoints(int partition) {
    return checkpoints.get(partition);
  }

  @Override
  public long openingAt(long time) {
    return lineage.openingAt(time);
  }

  @Override
  public GlobalStableVector arrivals() {
    return arrivals;
  }

  @Override
  public void wasShared(VectorClock snapshot) {
    // All partitions are local and know this already.
  }

  @Override
  public Optional<String> addressOf(int partition) {
    return Optional.empty();
  }

  @Override
  public Optional<List<String>> addresses(String own) {
    return Optional.of(List.of(own));
  }

  @Override
  public Optional<String> admitsElsewhere() {
    return Optional.empty();
  }

  @Override
  public boolean areOthersNew() {
    return true;
  }

  @Override
  public Optional<String> lackingElsewhere() {
    return Optional.empty();
  }

  @Override
  public void awaitKept(Membership membership) {
    // There are no other nodes.
  }
}
