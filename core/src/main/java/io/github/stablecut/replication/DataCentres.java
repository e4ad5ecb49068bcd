package io.github.stablecut.replication;

import io.github.stablecut.error.ReplicationRefusedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

/** The data centres of a store's group. Thread-safe. */
public interface DataCentres {
  /** The number of this store's data centre. */
  int own();

  /** The port on which this store listens; empty without TCP. */
  OptionalInt port();

  /** The group of this store: the id of the store that started it. */
  long group();

  /**
   * Whether nothing was ever written to this store, and no other data centre is in its group. It
   * may then be reopened to join another group ({@link Replication#join}).
   */
  boolean isNew();

  /** All data centres, including this one, by number; only this one for a store without others. */
  List<DataCentre> all();

  /**
   * Removes a data centre from the group permanently: its later commits are ignored, and nothing is
   * retained for it any longer. Its commits that any data centre has received remain, and reach all
   * others. To return, it joins again with an empty directory.
   *
   * @throws IllegalArgumentException if there is no such number, or it is this data centre's
   */
  void detach(int number);

  /**
   * Removes this data centre from its group permanently, without losing data. From now on it
   * refuses commits. Once all others have its commits durably, it has left; close the store then.
   * To remove an unreachable data centre, {@link #detach} it at another one.
   *
   * @param timeout how long this may take
   * @throws ReplicationRefusedException if it has no group or has already left, or if others still
   *     lack commits after the timeout; it then continues as before
   */
  void leave(Duration timeout);

  /**
   * Writes an invitation for one new data centre into a directory: its initial data. Copy the
   * directory there by any means, and call {@link io.github.stablecut.Stablecut#join}. Until the
   * first message of the new data centre, all later commits are retained for it; if it will never
   * join, detach it.
   *
   * @param target an empty or new directory
   * @return the number of the new data centre
   * @throws io.github.stablecut.error.BackupRefusedException if the target is not an empty or new
   *     directory
   * @throws ReplicationRefusedException if this store has no group, or another data centre assigns
   *     the numbers
   */
  int invite(Path target);

  /** Whether this data centre is a cluster, in which other nodes commit as well. */
  boolean isCluster();

  /**
   * Whether the store is on a server, like those of {@link io.github.stablecut.Stablecut#connect}.
   * Each of the other methods is then a request, and changes of the group are refused.
   */
  default boolean isRemote() {
    return false;
  }
}
