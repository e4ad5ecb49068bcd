package io.github.stablecut.cluster.internal.datacentre;

import io.github.stablecut.replication.DataCentre;
import java.util.List;
import java.util.Optional;

/** What a server tells of the data centres that it is one of, and does with them. Thread-safe. */
public interface DataCentreCommands {
  /** The text by which others can be told to connect to this one. */
  String descriptor();

  /** The number of this one; empty if it exchanges nothing with others. */
  Optional<Integer> own();

  /** All that there are, by number; empty if it exchanges nothing with others. */
  List<DataCentre> all();

  /** The order that was given last, if there was one. */
  Optional<Order> last();

  /**
   * An order to a server, which takes its time.
   *
   * @param what it is, such as {@code connect dublin.example:7400}
   * @param isOver whether it was carried out, or has failed
   * @param problem why it has failed; empty if it has not
   */
  record Order(String what, boolean isOver, Optional<String> problem) {}

  /**
   * The addresses of other data centres that descriptors name. Asks none of them.
   *
   * @param descriptors of data centres; its own may be among them
   * @throws io.github.stablecut.error.ReplicationRefusedException if one is no descriptor, or names
   *     a data centre that can't be reached; the message depends on this server and the descriptors
   *     only
   */
  List<String> addresses(List<String> descriptors);

  /**
   * Makes data centres of one group of this one and others, all of which are told so, in any order.
   * Returns once it has heard those that are in its group then.
   *
   * @param addresses of all others, as {@link #addresses} returns them
   * @throws io.github.stablecut.error.ReplicationRefusedException if that can't be; the message
   *     tells what was met at the addresses
   */
  void connect(List<String> addresses);

  /**
   * Begins to join the group of a data centre at an address, and returns at once.
   *
   * @throws io.github.stablecut.error.ReplicationRefusedException if another order is carried out
   */
  void beginToJoin(String address);

  /**
   * Takes another data centre out of the group for ever.
   *
   * @throws io.github.stablecut.error.ReplicationRefusedException if there is no such one
   */
  void detach(int number);

  /**
   * Begins to take this one out of its group so that nothing is lost, and returns at once.
   *
   * @throws io.github.stablecut.error.ReplicationRefusedException if another order is carried out
   */
  void beginToLeave();
}
