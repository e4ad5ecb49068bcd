package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.crdt.Bytes;
import java.util.function.Consumer;

/**
 * The connections to the other nodes, which carry all requests, replies and replica messages. Large
 * messages have a connection of their own, so that small ones do not wait for them. No method
 * blocks. Thread-safe.
 */
public interface Links {
  /** The largest request or reply that is sent in one frame, with others of its kind. */
  int MAX_BYTES = TrafficBudget.SMALL_BYTES;

  /**
   * The largest message between replicas that is sent in one frame. It counts towards no budget: a
   * connection holds few of them, and a replica admits one group of records at a time.
   */
  int MAX_MESSAGE_BYTES = 32 << 10;

  /** No connections: nothing is sent. */
  Links NONE =
      new Links() {
        @Override
        public boolean isReady(String node) {
          return false;
        }

        @Override
        public void send(
            String node,
            int partition,
            long epoch,
            long number,
            Bytes request,
            Consumer<Boolean> done) {
          done.accept(false);
        }

        @Override
        public long run(String node) {
          return 0;
        }

        @Override
        public void repeat(
            String node,
            long run,
            int partition,
            long epoch,
            long number,
            Bytes request,
            Consumer<Boolean> done) {
          done.accept(false);
        }

        @Override
        public void tell(String node, int partition, Bytes message) {
          // Replicas repeat their messages.
        }

        @Override
        public void forget(long number) {
          // Nothing to forget.
        }

        @Override
        public String missing(String node) {
          return "this node has no connections to others: try again";
        }
      };

  /** Returns whether there is a connection to a node that takes small requests. */
  boolean isReady(String node);

  /**
   * Sends a request to a node.
   *
   * @param epoch the partition's epoch; 0 if the node need not own the partition
   * @param number unique among this node's requests
   * @param done called once, when the bytes are no longer needed. False if the request has
   *     certainly not arrived: there is no connection, it is full, or it broke before the last
   *     byte. True does not mean that it has arrived
   */
  void send(
      String node, int partition, long epoch, long number, Bytes request, Consumer<Boolean> done);

  /** Returns the number of the run of a node to which requests are sent now; 0 if it is unknown. */
  long run(String node);

  /**
   * Like {@link #send}, with the same number as before, to a certain run of the node only.
   *
   * @param run as {@link #run}
   */
  void repeat(
      String node,
      long run,
      int partition,
      long epoch,
      long number,
      Bytes request,
      Consumer<Boolean> done);

  /**
   * Sends a small message to a replica of a partition, after that partition's earlier small
   * messages. It may be lost.
   *
   * @param message an encoded {@link io.github.stablecut.cluster.internal.wire.Request.ToReplica}
   */
  void tell(String node, int partition, Bytes message);

  /** Drops the unsent rest of a large message. */
  void forget(long number);

  /** Says that there is no connection to a node, and what to check. */
  String missing(String node);

  /** Returns whether an encoded request is a message to a replica that fits one frame. */
  static boolean carryMessage(Bytes request) {
    return request.length() <= MAX_MESSAGE_BYTES && RequestCodec.isForReplica(request);
  }

  /** Returns whether a message is sent in chunks. */
  static boolean isLarge(Bytes whole) {
    return whole.length() > MAX_BYTES;
  }
}
