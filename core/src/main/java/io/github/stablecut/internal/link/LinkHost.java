package io.github.stablecut.internal.link;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The data centre that connections are made for. Thread-safe. */
public interface LinkHost {
  /** Its number. */
  int own();

  /** The store that it is. */
  long store();

  /** The store that its group has begun with. */
  long group();

  /** What it tells who asks. */
  DataCentreInfo about();

  /** Where others reach this node of it. */
  String address();

  /** The addresses of the nodes of the others. */
  Map<Integer, List<String>> others();

  /** Whether a store has a number in the group. */
  boolean isMember(int number, long store);

  /**
   * Where to ask for a number instead of here.
   *
   * @return empty if here
   */
  Optional<String> joinsElsewhere();

  /** Sends another node of this data centre what a new one begins with on a partition. */
  void cut(int partition, PartitionSnapshotSender sender) throws IOException;

  /** Sends somebody what a new data centre begins with. */
  void join(JoinSender sender) throws IOException;
}
