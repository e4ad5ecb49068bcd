package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.crdt.Bytes;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A request of {@link PendingRequests} and its reply. Thread-safe. */
final class Exchange {
  /** The receiver of a request. */
  private enum Receiver {
    /** The owner of the partition, whichever node that is. */
    OWNER,
    /** A certain node, which need not own the partition. */
    NODE
  }

  /** The states of a request. */
  private enum State {
    /** Memory or, once it was sent, the reply. */
    REPLY,
    /** The time at which it is sent again, or a new owner. */
    RETRY
  }

  final int partition;
  final Request request;
  final long deadlineNanos;
  final CompletableFuture<Reply> answer = new CompletableFuture<>();

  private final Receiver receiver;

  /** The encoded request; empty until there is memory for it. */
  volatile Bytes encoded = Bytes.EMPTY;

  /** The number under which the request was last sent. */
  volatile long number;

  /**
   * The reason why the owner had no memory for the request, or this node had none for the reply.
   */
  volatile String busyReason = "";

  /** The node to which the request was sent. */
  volatile String owner = "";

  /** The epoch in the request; 0 if the node need not own the partition. */
  volatile long epoch;

  volatile long sentAtNanos;

  /** Whether the request had to wait for memory. */
  volatile boolean hasWaited;

  /** The connection on which the request was sent; null if it went through Akka. */
  volatile Links.@Nullable Link link;

  private volatile State state = State.REPLY;

  /** The time at which to send the request again; written before {@link State#RETRY}. */
  private volatile long retryAtNanos;

  private Exchange(Receiver receiver, int partition, Request request, long deadlineNanos) {
    this.receiver = receiver;
    this.partition = partition;
    this.request = request;
    this.deadlineNanos = deadlineNanos;
  }

  /** A request to the owner of a partition. */
  static Exchange withOwner(int partition, Request request, long deadlineNanos) {
    return new Exchange(Receiver.OWNER, partition, request, deadlineNanos);
  }

  /** A request to a node, which need not own the partition. */
  static Exchange withNode(String node, int partition, Request request, long deadlineNanos) {
    Exchange exchange = new Exchange(Receiver.NODE, partition, request, deadlineNanos);
    exchange.owner = node;
    return exchange;
  }

  /** Whether the owner of the partition has to answer, so that another owner may. */
  boolean isForOwner() {
    return receiver == Receiver.OWNER;
  }

  /** Whether the request waits for memory or the reply, not for a retry. */
  boolean isAwaitingReply() {
    return state == State.REPLY;
  }

  /** Whether the request waits for a retry, whose time has come. */
  boolean isRetryDue(long nowNanos) {
    return state == State.RETRY && nowNanos - retryAtNanos > 0;
  }

  /** Records that nothing was done, so that the request is sent again at a time. */
  void retryAt(long nanos) {
    retryAtNanos = nanos;
    state = State.RETRY;
  }

  /** Records that the request is about to be sent again. */
  void awaitReply() {
    state = State.REPLY;
  }

  /** Records a send under a number, on a connection or, if null, through Akka. */
  synchronized void sends(long number, Links.@Nullable Link link) {
    this.number = number;
    this.link = link;
  }

  /**
   * Records that the connection did not accept the request.
   *
   * @return false if it was sent under another number meanwhile
   */
  synchronized boolean refused(long number) {
    if (this.number != number) {
      return false;
    }
    link = null;
    return true;
  }
}
