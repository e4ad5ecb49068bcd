package io.github.stablecut.replication;

import io.github.stablecut.error.ReplicationRefusedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

/** The data centres of a store's group. Thread-safe. */
public interface DataCentres {
  /** The number of the data centre that this store is. */
  int own();

  /** The port that this store listens at; empty without TCP. */
  OptionalInt port();

  /** The group that this store belongs to: the id of the store that has begun it. */
  long group();

  /**
   * Whether nothing was ever written to this store, and nobody else is in its group: then it may be
   * opened again to join another one ({@link Replication#join}).
   */
  boolean isNew();

  /** All, this one included, by number; one for a store that is alone. */
  List<DataCentre> all();

  /**
   * Takes a data centre out of the group for ever: nothing that it commits from now on is taken,
   * and nobody keeps anything for it. What has come of it to anybody stays, and comes to all. To
   * come back, it joins again with an empty directory.
   *
   * @throws IllegalArgumentException if there is no such number, or it is this one
   */
  void detach(int number);

  /**
   * Takes this data centre out of its group for ever, so that nothing is lost: no transaction is
   * committed here any more, and once all others have durably what was, it is out. Close the store
   * then. To take out one that can't be reached, {@link #detach} it at another one.
   *
   * @param atMost how long it may take
   * @throws ReplicationRefusedException if it is alone or out already, or others lack something
   *     after that time; it goes on as it was then
   */
  void leave(Duration atMost);

  /**
   * Writes what a new data centre begins with into a directory, which is taken there by any means,
   * for {@link io.github.stablecut.Stablecut#join}. It is for one new data centre. Until that was
   * heard, everything since then is kept for it; if it will never be heard, detach it.
   *
   * @param target empty or not there
   * @return the number of the new data centre
   * @throws io.github.stablecut.error.BackupRefusedException if the target is something else
   * @throws ReplicationRefusedException if this store is alone, or another data centre gives the
   *     numbers
   */
  int invite(Path target);

  /** Whether this one is a cluster: other nodes of it commit as well. */
  boolean isCluster();

  /**
   * Whether the store is on a server, as that of {@link io.github.stablecut.Stablecut#connect}:
   * then each of the other methods is a request, and what changes the group is refused.
   */
  default boolean isRemote() {
    return false;
  }
}
