package io.github.stablecut.replication;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;

/** The data centres of a store's group. Thread-safe. */
public interface DataCentres {
  /** The number of the data centre that this store is. */
  int own();

  /** The port that this store listens at; empty without TCP. */
  OptionalInt port();

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
   * Writes what a new data centre begins with into a directory, which is taken there by any means,
   * for {@link io.github.stablecut.Stablecut#join}. It is for one new data centre. Until that was
   * heard, everything since then is kept for it; if it will never be heard, detach it.
   *
   * @param target empty or not there
   * @return the number of the new data centre
   * @throws io.github.stablecut.error.BackupRefusedException if the target is something else
   * @throws io.github.stablecut.error.ReplicationRefusedException if this store is alone, or
   *     another data centre gives the numbers
   */
  int invite(Path target);
}
