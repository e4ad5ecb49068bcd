package io.github.stablecut.cluster.internal.link;

import io.github.stablecut.cluster.internal.remote.LargeMessages;
import io.github.stablecut.cluster.internal.remote.RequestEnvelope;
import io.github.stablecut.crdt.Bytes;

/** Handles the events of links. Called on event loops, so no method blocks. Thread-safe. */
public interface LinkHandler {
  /**
   * Handles a request.
   *
   * @param done releases its memory
   */
  void onRequest(RequestEnvelope request, Runnable done);

  /**
   * Handles a small message to a replica.
   *
   * @param sender the sender's clock
   */
  void onMessage(int partition, long sender, Bytes message);

  /**
   * Handles a reply.
   *
   * @param sender the sender's clock
   * @param done releases its memory
   */
  void onReply(long number, long sender, Bytes reply, Runnable done);

  /**
   * Handles the answer of a partition to the driver of a transaction.
   *
   * @param sender the sender's clock
   */
  void onDriverReply(long driver, long sender, Bytes answer);

  /**
   * A run of a node awaits no more replies to its earlier writes.
   *
   * @param oldest the lowest number of a write whose reply it may await
   */
  void onAnswered(long run, long oldest);

  /** Returns the lowest number of a write whose reply this node may await. */
  long oldestWrite();

  /** Returns what receives the chunks of large messages. */
  LargeMessages large();

  /**
   * Handles the loss of a connection to a node: messages on it may be lost.
   *
   * @param isBulk whether it was for large messages
   */
  void onBroken(String node, boolean isBulk);

  /** Handles a new connection to a node. */
  void onReady(String node);

  /** Returns the time of this node's clock. */
  long now();
}
