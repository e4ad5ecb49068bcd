package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.crdt.Bytes;
import java.util.function.Consumer;

/** A run of a node that has sent a request, as the recipient of replies. Thread-safe. */
public interface Requester {
  /** Returns the node's name. */
  String name();

  /** Returns the number that identifies this run. */
  long run();

  /** Returns the address of its node port, as {@code host:port}. */
  String address();

  /**
   * Sends a reply, which may be lost. Does not block.
   *
   * @param number the number of the request
   * @param clock this node's clock
   * @param done called once, when the bytes are no longer needed; with whether they are on the way
   */
  void reply(long number, long clock, Bytes reply, Consumer<Boolean> done);

  /**
   * Sends the answer of a partition to the driver of a transaction. It may be lost. Does not block.
   *
   * @param driver the number of the driver
   * @param clock this node's clock
   */
  void tellDriver(long driver, long clock, Bytes answer);
}
