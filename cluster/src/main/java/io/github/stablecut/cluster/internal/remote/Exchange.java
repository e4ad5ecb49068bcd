package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.crdt.Bytes;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

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
    /** The reply to a write whose connection broke, and which the node may have received. */
    REPEATED_REPLY,
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

  /** No number: the request is about to be sent. */
  private static final long NONE = 0;

  /** The number under which the request was last sent; {@link #NONE} until it is registered. */
  volatile long number;

  /** The reason why the request was not executed; empty if the receiver was not the owner. */
  volatile String refusal = "";

  /** The node to which the request was sent. */
  volatile String owner = "";

  /** The epoch in the request; 0 if the node need not own the partition. */
  volatile long epoch;

  volatile long sentAtNanos;

  /** The run of the node to which the request was sent. */
  volatile long run;

  /** Whether a broken connection may have lost the request, or its last repetition. */
  volatile boolean isInterrupted;

  /** Whether the request had to wait for memory. */
  volatile boolean hasWaited;

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
    return state != State.RETRY;
  }

  /** The receiver of a transmission. Immutable. */
  record Transmission(String owner, long run, long epoch) {}

  /**
   * Records that the request is repeated.
   *
   * @param sent the number of the transmission to repeat
   * @return the receiver of that transmission; empty if the request waits for a retry, or was sent
   *     under another number meanwhile, so that a repetition could be executed in addition to that
   *     one
   */
  synchronized Optional<Transmission> repeat(long sent) {
    if (state == State.RETRY || number != sent) {
      return Optional.empty();
    }
    state = State.REPEATED_REPLY;
    isInterrupted = false;
    return Optional.of(new Transmission(owner, run, epoch));
  }

  /**
   * Records that a transmission has certainly done nothing, so that the request is sent again at a
   * time.
   *
   * @param sent the number of the transmission
   * @return false if it has been repeated, so that another transmission may do something, or was
   *     sent under another number
   */
  synchronized boolean retryUnlessRepeated(long sent, long nanos) {
    if (number != sent || state == State.REPEATED_REPLY) {
      return false;
    }
    retryAt(nanos);
    return true;
  }

  /** Whether the request waits for a retry, whose time has come. */
  boolean isRetryDue(long nowNanos) {
    return state == State.RETRY && nowNanos - retryAtNanos > 0;
  }

  /** Records that nothing was done, so that the request is sent again at a time. */
  synchronized void retryAt(long nanos) {
    retryAtNanos = nanos;
    state = State.RETRY;
  }

  /** Records that the request is about to be sent again, under another number. */
  synchronized void awaitReply() {
    number = NONE;
    isInterrupted = false;
    state = State.REPLY;
  }
}
