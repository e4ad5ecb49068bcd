package io.github.stablecut.cluster.internal.datacentre;

import io.github.stablecut.replication.DataCentre;
import java.util.List;
import java.util.Optional;

/** A server's view of its group of data centres, and the commands that change it. Thread-safe. */
public interface DataCentreCommands {
  /** Returns the text that others use to connect to this data centre. */
  String descriptor();

  /** Returns this data centre's number; empty if it does not replicate. */
  Optional<Integer> own();

  /** Returns all data centres, by number; empty if this one does not replicate. */
  List<DataCentre> all();

  /** Returns the latest operation, if any. */
  Optional<Operation> last();

  /**
   * A long-running operation of a server.
   *
   * @param what the command, such as {@code connect dublin.example:7400}
   * @param isOver whether it has succeeded or failed
   * @param problem why it failed; empty if it did not
   */
  record Operation(String what, boolean isOver, Optional<String> problem) {}

  /**
   * Returns the addresses in descriptors of other data centres, without contacting these.
   *
   * @param descriptors of data centres, possibly including this one
   * @throws io.github.stablecut.error.ReplicationRefusedException if one is malformed, or its data
   *     centre accepts no connections; the message depends only on this server and the descriptors
   */
  List<String> addresses(List<String> descriptors);

  /**
   * Unites this data centre and others in one group; every one of them gets this command, in any
   * order. Returns once this one has heard from the others in its group.
   *
   * @param addresses the addresses of all others, as {@link #addresses} returns them
   * @throws io.github.stablecut.error.ReplicationRefusedException if this is impossible; the
   *     message reveals what was found at the addresses
   */
  void connect(List<String> addresses);

  /**
   * Starts to join the group of a data centre, and returns at once.
   *
   * @throws io.github.stablecut.error.ReplicationRefusedException if another operation is running
   */
  void beginToJoin(String address);

  /**
   * Removes another data centre from the group forever.
   *
   * @throws io.github.stablecut.error.ReplicationRefusedException if the group has no such data
   *     centre
   */
  void detach(int number);

  /**
   * Starts to leave the group without losing data, and returns at once.
   *
   * @throws io.github.stablecut.error.ReplicationRefusedException if another operation is running
   */
  void beginToLeave();
}
