package io.github.stablecut.internal.link;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The data centre to which this end of the connections belongs. Thread-safe. */
public interface LinkHost {
  /** The number of the data centre. */
  int own();

  /** The id of its store. */
  long store();

  /** The id of the store that founded its group. */
  long group();

  /** The data centre's description. */
  DataCentreInfo about();

  /** The address where others reach this node. */
  String address();

  /** The node addresses of the other data centres. */
  Map<Integer, List<String>> others();

  /** Whether a store is the group's member with a number. */
  boolean isMember(int number, long store);

  /**
   * The address of the data centre that admits new ones.
   *
   * @return empty if this one does
   */
  Optional<String> joinsElsewhere();

  /**
   * Sends another node of this data centre the initial state of a partition for a new data centre.
   */
  void cut(int partition, PartitionSnapshotSender sender) throws IOException;

  /** Sends a new data centre its initial state. */
  void join(JoinSender sender) throws IOException;
}
