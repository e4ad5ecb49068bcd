package io.github.stablecut.internal.transaction;

import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.replication.DataCentre;
import io.github.stablecut.replication.DataCentres;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The data centre of a store that exchanges nothing. Thread-safe.
 *
 * @param identity of the store
 * @param isNew whether nothing was ever written to it
 * @param now its time
 */
record LoneDataCentre(StoreIdentity identity, boolean isNew, Instant now) implements DataCentres {
  @Override
  public int own() {
    return identity.dataCentre().number();
  }

  @Override
  public long group() {
    return identity.id();
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
    return List.of(
        new DataCentre(
            own(),
            identity.id(),
            DataCentre.State.MEMBER,
            Optional.empty(),
            true,
            now,
            now,
            Optional.empty()));
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
