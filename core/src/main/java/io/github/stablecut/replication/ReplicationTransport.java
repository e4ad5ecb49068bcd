package io.github.stablecut.replication;

import io.github.stablecut.crdt.Bytes;

/**
 * Carries messages between the data centres of a store: over TCP, in files that are carried by
 * hand, or in a queue of a test. It may lose, duplicate, delay and reorder messages: the receiver
 * requests missing ones again, and recognizes duplicates. It must not change messages. Thread-safe.
 */
public interface ReplicationTransport extends AutoCloseable {
  /** Receives the messages that arrive. Thread-safe. */
  @FunctionalInterface
  interface Receiver {
    /** Handles a message. Returns immediately, and never throws. */
    void receive(Bytes message);
  }

  /** Starts to carry messages. Called once. */
  void open(Receiver receiver);

  /**
   * Sends a message of at most 256 MiB. Returns immediately; without a connection or buffer space,
   * the message is lost.
   *
   * @param dataCentre the number of the receiving data centre
   */
  void send(int dataCentre, Bytes message);

  /**
   * Like {@link #send(int, Bytes)}, but to a data centre that may be a cluster: to its node that
   * owns a partition. A message that reaches another node is lost.
   *
   * @param partition the number of the partition
   */
  default void send(int dataCentre, int partition, Bytes message) {
    send(dataCentre, message);
  }

  /** Closes the transport: no further message arrives. Idempotent. */
  @Override
  void close();
}
