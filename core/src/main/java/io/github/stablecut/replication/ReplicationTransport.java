package io.github.stablecut.replication;

import io.github.stablecut.crdt.Bytes;

/**
 * Carries messages between the data centres of a store: over TCP, in files that somebody takes
 * along, in a queue of a test. It may lose, repeat, delay and reorder messages: what is missing is
 * asked for again, and what comes twice is known. It must not change them. Thread-safe.
 */
public interface ReplicationTransport extends AutoCloseable {
  /** Takes the messages that arrive. Thread-safe. */
  @FunctionalInterface
  interface Receiver {
    /** Takes a message; returns at once, and throws nothing. */
    void receive(Bytes message);
  }

  /** Begins to carry messages. Called once. */
  void open(Receiver receiver);

  /**
   * Sends a message, at most 256 MiB. Returns at once; if there is no way or no room now, the
   * message is lost.
   *
   * @param dataCentre the number of the data centre that it is for
   */
  void send(int dataCentre, Bytes message);

  /**
   * As {@link #send(int, Bytes)}, if the data centre may be a cluster: for the node that has a
   * partition there. A message that comes to another node is lost.
   *
   * @param partition the number of the partition that it is about
   */
  default void send(int dataCentre, int partition, Bytes message) {
    send(dataCentre, message);
  }

  /** Ends it: no message arrives any more. Idempotent. */
  @Override
  void close();
}
