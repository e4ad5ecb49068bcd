package io.github.stablecut.cluster.internal.remote;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.thread.FireAndForget;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The unanswered requests of this node. A request to an unreachable node fails at once. A request
 * in transit when its owner is lost fails with what is known: that it had no effect, or that its
 * outcome is unknown. Thread-safe.
 */
public final class PendingRequests {
  /**
   * A request that reached the wrong owner, or no node, is resent after this time, or once a new
   * owner or a connection to the node is there.
   */
  private static final long RETRY_NANOS = 100_000_000;

  /** The time to wait for a reply to a read from an owner that has a successor. */
  private static final long LOST_NANOS = 500_000_000;

  /**
   * The time to wait for a reply to a write from a leader that another replica has succeeded: a
   * leader reports a commit at once.
   */
  private static final long DEPOSED_NANOS = 1_000_000_000;

  /** The states of an awaited reply. */
  public enum ReplyState {
    /** No reply is awaited. */
    NO,
    /** A reply is awaited; if there is no memory for it, the request can be retried. */
    RETRYABLE,
    /** A reply is awaited, and the request can't be retried. */
    ONCE
  }

  private final MembershipView view;
  private final TrafficBudget budget;
  private final Executor executor;
  private final Deliveries deliveries;
  private final OneWayRequests oneWay;

  /** The requests that wait for memory. */
  private final Set<Exchange> waiting = ConcurrentHashMap.newKeySet();

  private final Map<Long, Exchange> pending = new ConcurrentHashMap<>();

  /** The last number of a request. The first one is random, and leaves room for all later ones. */
  private final AtomicLong numbers = new AtomicLong(new SecureRandom().nextLong() >>> 2);

  /** Guards that a number of a pending request is registered before the next one is drawn. */
  private final Object registration = new Object();

  private volatile long oldestWrite = Long.MIN_VALUE;

  private volatile Links links = Links.NONE;

  /** Whether timeouts are no longer checked. */
  private volatile boolean isClosed;

  /**
   * @param budget the memory for unanswered requests
   * @param executor resumes requests that have waited for memory; does not block
   * @param patience how long a part of a transaction waits for memory: less than its commit may
   *     take, so that the client learns what is missing
   */
  public PendingRequests(
      MembershipView view, TrafficBudget budget, Executor executor, Duration patience) {
    this.view = view;
    this.budget = budget;
    this.executor = executor;
    this.oneWay = new OneWayRequests(view, () -> links, numbers::incrementAndGet, executor);
    this.deliveries =
        new Deliveries(budget, executor, patience, System::nanoTime, new ForDeliveries());
  }

  /** Connects this node to the others. */
  public void connect(Links connections) {
    links = connections;
  }

  /**
   * Sends a request to the owner of a partition. The reply completes on an event loop, so
   * dependents must not block it.
   */
  CompletableFuture<Reply> ask(int partition, Request request, Duration timeout) {
    Exchange exchange =
        Exchange.withOwner(partition, request, System.nanoTime() + timeout.toNanos());
    CompletableFuture<TrafficBudget.Reservation> memory = budget.request(request.largeBytes());
    if (!memory.isDone()) {
      await(exchange, memory);
    }
    TrafficBudget.whenGranted(
        memory, executor, (reservation, failure) -> begin(exchange, reservation, failure));
    return exchange.answer;
  }

  /** Returns whether a small request to the owner of a partition is sent at once. */
  boolean isConnected(int partition) {
    MembershipView.Owner owner = view.owner(partition);
    return owner.isReachable() && links.isReady(owner.node());
  }

  /** Waits for memory until the deadlineNanos, or until the owner becomes unreachable. */
  private void await(Exchange exchange, CompletableFuture<TrafficBudget.Reservation> memory) {
    exchange.hasWaited = true;
    waiting.add(exchange);
    FireAndForget.whenDone(
        exchange.answer,
        (reply, failure) -> {
          waiting.remove(exchange);
          memory.cancel(false);
        });
    if (isClosed) {
      failWaiting(exchange, closed());
    }
  }

  /** Encodes and sends a request that has its memory, and keeps the memory until the reply. */
  private void begin(
      Exchange exchange,
      TrafficBudget.@Nullable Reservation reservation,
      @Nullable Throwable failure) {
    if (reservation == null) {
      exchange.answer.completeExceptionally(Objects.requireNonNull(failure));
      return;
    }
    if (exchange.hasWaited && !waiting.remove(exchange)) {
      // The request has failed, so it must not be sent.
      reservation.close();
      return;
    }
    try {
      FireAndForget.whenDone(exchange.answer, (reply, failed) -> reservation.close());
      Bytes encoded = RequestCodec.encode(exchange.request);
      exchange.encoded = encoded;
      reservation.resize(encoded.length());
      if (Links.isLarge(encoded)) {
        FireAndForget.whenDone(exchange.answer, (reply, failed) -> links.forget(exchange.number));
      }
      send(exchange);
    } catch (RuntimeException | Error e) {
      reservation.close();
      exchange.answer.completeExceptionally(e);
    }
  }

  /** Fails a request that waits for memory, unless it has been granted by now. */
  private void failWaiting(Exchange exchange, StablecutException failure) {
    if (waiting.remove(exchange)) {
      exchange.answer.completeExceptionally(failure);
    }
  }

  private static PartitionUnavailableException closed() {
    return new PartitionUnavailableException("nothing was sent: this node is closed");
  }

  /**
   * Sends a request to the owner of a partition and waits for the reply.
   *
   * @throws StablecutException the failure of the owner, or why it can't be reached
   */
  Reply call(int partition, Request request, Duration timeout) {
    return joined(ask(partition, request, timeout));
  }

  /** Waits for a reply, and returns or throws as {@link #call} does. */
  static Reply joined(CompletableFuture<Reply> answer) {
    try {
      return checked(answer.join());
    } catch (CompletionException e) {
      if (e.getCause() instanceof StablecutException failure) {
        throw failure;
      } else if (e.getCause() instanceof Error failure) {
        throw failure;
      }
      throw e;
    }
  }

  /** Like {@link #ask}, but sends the request to a node, which need not own the partition. */
  CompletableFuture<Reply> askNode(String node, int partition, Request request, Duration timeout) {
    Exchange exchange =
        Exchange.withNode(node, partition, request, System.nanoTime() + timeout.toNanos());
    if (!view.nodes().containsKey(node)) {
      return CompletableFuture.failedFuture(
          new PartitionUnavailableException(
              "node %s can't be reached: try again once it is back".formatted(node)));
    }
    exchange.encoded = RequestCodec.encode(request);
    transmit(exchange);
    return exchange.answer;
  }

  /** Like {@link #call}, but sends the request to a node, which need not own the partition. */
  @CanIgnoreReturnValue
  public Reply callNode(String node, int partition, Request request, Duration timeout) {
    return joined(askNode(node, partition, request, timeout));
  }

  /** Sends a node a request that needs no reply. It may be lost. */
  public void tellNode(String node, int partition, Request request) {
    oneWay.tell(node, partition, request);
  }

  /** Like {@link OneWayRequests#tell(String, int, Request, TrafficBudget, OneWayRequests.Told)}. */
  boolean tellNode(
      String node,
      int partition,
      Request request,
      TrafficBudget memory,
      OneWayRequests.SendListener listener) {
    return oneWay.tell(node, partition, request, memory, listener);
  }

  /** Returns the reply; throws the failure if it is one. */
  static Reply checked(Reply reply) {
    if (reply instanceof Reply.Failed failed) {
      throw failed.failure();
    }
    return reply;
  }

  /**
   * Sends a request that needs no reply, or that the caller repeats; drops it if the owner can't be
   * reached.
   */
  void tell(int partition, Request request) {
    if (request instanceof Request.Deliver deliver
        && deliver.largeBytes() > TrafficBudget.SMALL_BYTES) {
      deliveries.send(partition, deliver);
    } else {
      deliver(partition, numbers.incrementAndGet(), RequestCodec.encode(request), isSent -> {});
    }
  }

  private void deliver(int partition, long number, Bytes request, Consumer<Boolean> done) {
    MembershipView.Owner owner = view.owner(partition);
    if (owner.isReachable()) {
      links.send(owner.node(), partition, owner.epoch(), number, request, done);
    } else {
      done.accept(false);
    }
  }

  /** Sends large messages of transactions. */
  private final class ForDeliveries implements Deliveries.Sender {
    @Override
    public long epoch(int partition) {
      return view.owner(partition).epoch();
    }

    @Override
    public long nextNumber() {
      return numbers.incrementAndGet();
    }

    @Override
    public void send(int partition, long number, Bytes request, Consumer<Boolean> done) {
      deliver(partition, number, request, done);
    }

    @Override
    public void forget(long number) {
      links.forget(number);
    }
  }

  private void send(Exchange exchange) {
    MembershipView.Owner owner = view.owner(exchange.partition);
    if (!owner.isReachable()) {
      if (view.isReplicated()) {
        // Another replica is about to lead: the request is sent once one does.
        exchange.retryAt(System.nanoTime() + RETRY_NANOS);
        register(exchange);
      } else {
        exchange.answer.completeExceptionally(unavailable(owner));
      }
      return;
    }
    exchange.owner = owner.node();
    exchange.epoch = owner.epoch();
    transmit(exchange);
  }

  /** Sends a request to its node. */
  private void transmit(Exchange exchange) {
    exchange.run = links.run(exchange.owner);
    exchange.sentAtNanos = System.nanoTime();
    // Registered before the send: if the connection then breaks, the request is found.
    long number = register(exchange);
    links.send(
        exchange.owner,
        exchange.partition,
        exchange.epoch,
        number,
        exchange.encoded,
        isSent -> {
          if (!isSent) {
            notSent(number);
          }
        });
    if (!view.nodes().containsKey(exchange.owner)) {
      // The node was lost between the look-up and the registration.
      lost(number, exchange);
    }
  }

  /** A request has certainly not arrived: it is sent again later. */
  private void notSent(long number) {
    Exchange exchange = pending.get(number);
    if (exchange != null
        && exchange.isAwaitingReply()
        && exchange.retryUnlessRepeated(number, System.nanoTime() + RETRY_NANOS)) {
      exchange.refusal = links.missing(exchange.owner);
    }
  }

  /**
   * A connection to a node broke, and with it requests or replies may have been lost. Unanswered
   * reads are sent again under new numbers: they change nothing, so it does no harm if the node has
   * received them. Writes are repeated under their numbers, by which the node recognizes them.
   *
   * @param isBulk whether the connection was for large messages; a connection for small ones has
   *     carried neither large requests nor their replies
   */
  public void broken(String node, boolean isBulk) {
    present()
        .forEach(
            (number, exchange) -> {
              if (!exchange.owner.equals(node)
                  || !exchange.isForOwner()
                  || !exchange.isAwaitingReply()
                  || (!isBulk && Links.isLarge(exchange.encoded))) {
                return;
              }
              if (exchange.request.isWrite()) {
                repeat(number, exchange);
              } else {
                resend(number, exchange);
              }
            });
  }

  /** Sends a write again to the run of the node that may have received it, and no other. */
  private void repeat(long number, Exchange exchange) {
    exchange
        .repeat(number)
        .ifPresent(
            to ->
                links.repeat(
                    to.owner(),
                    to.run(),
                    exchange.partition,
                    to.epoch(),
                    number,
                    exchange.encoded,
                    isSent -> {
                      if (!isSent) {
                        exchange.isInterrupted = true;
                      }
                    }));
  }

  /** There is a connection to a node: requests that waited for it are sent. */
  public void connected(String node) {
    present()
        .forEach(
            (number, exchange) -> {
              if (!exchange.owner.equals(node)) {
                return;
              }
              if (!exchange.isAwaitingReply()) {
                resend(number, exchange);
              } else if (exchange.isInterrupted) {
                repeat(number, exchange);
              }
            });
  }

  /** Returns the unanswered requests as of now: what is sent again is not visited again. */
  private Map<Long, Exchange> present() {
    return Map.copyOf(pending);
  }

  /** Starts to wait for the reply to a request, whose number it returns. */
  @CanIgnoreReturnValue
  private long register(Exchange exchange) {
    long number;
    synchronized (registration) {
      number = numbers.incrementAndGet();
      exchange.number = number;
      pending.put(number, exchange);
    }
    failIfClosed(number, exchange);
    return number;
  }

  /** Fails a request if timeouts are no longer checked. */
  private void failIfClosed(long number, Exchange exchange) {
    if (isClosed) {
      failClosed(number, exchange);
    }
  }

  /** Returns the lowest number of a write whose reply may be awaited, as of the last tick. */
  public long oldestWrite() {
    return oldestWrite;
  }

  private void updateOldestWrite() {
    long oldest;
    synchronized (registration) {
      oldest = numbers.get() + 1;
    }
    for (Map.Entry<Long, Exchange> one : pending.entrySet()) {
      if (one.getValue().request.isWrite()) {
        oldest = Math.min(oldest, one.getKey());
      }
    }
    oldestWrite = oldest;
  }

  public static PartitionUnavailableException unavailable(MembershipView.Owner owner) {
    return new PartitionUnavailableException(
        owner.node().isEmpty()
            ? "no owner of partition %d is known: wait for the missing nodes"
                .formatted(owner.partition())
            : "partition %d is on node %s%s, which can't be reached: try again once it is back"
                .formatted(
                    owner.partition(),
                    owner.node(),
                    owner.address().isEmpty() ? "" : " at " + owner.address()));
  }

  /** Returns whether a reply is awaited. */
  public ReplyState awaited(long number) {
    Exchange exchange = pending.get(number);
    if (exchange == null) {
      return ReplyState.NO;
    }
    boolean isOnce = exchange.request.isWrite() || exchange.request instanceof Request.OfMove;
    return isOnce ? ReplyState.ONCE : ReplyState.RETRYABLE;
  }

  /** Returns whether a reply is awaited to a request for a node, not for a partition's owner. */
  public boolean isForNode(long number) {
    Exchange exchange = pending.get(number);
    return exchange != null && !exchange.isForOwner();
  }

  /** A reply has arrived. */
  public void complete(long number, Reply reply) {
    Exchange awaited = pending.get(number);
    if (reply instanceof Reply.Busy
        && awaited != null
        && awaited.isForOwner()
        && !awaited.retryUnlessRepeated(number, System.nanoTime() + RETRY_NANOS)) {
      // It is about one transmission, and another one may be in execution.
      awaited.isInterrupted = true;
      return;
    }
    Exchange exchange = pending.remove(number);
    if (reply instanceof Reply.Busy) {
      links.forget(number);
    }
    if (exchange == null) {
      // A receiver answers a transaction message only if it ignores the message.
      deliveries.refused(number);
      if (reply instanceof Reply.Busy) {
        oneWay.refused(number);
      }
      return;
    }
    boolean isNothingDone = reply instanceof Reply.Stale || reply instanceof Reply.Busy;
    exchange.refusal = reply instanceof Reply.Busy busy ? busy.why() : "";
    if (isNothingDone && exchange.isForOwner() && System.nanoTime() - exchange.deadlineNanos < 0) {
      // The view is newer, or will be soon; or memory becomes free.
      exchange.retryAt(System.nanoTime() + RETRY_NANOS);
      pending.put(number, exchange);
      failIfClosed(number, exchange);
      if (view.owner(exchange.partition).epoch() != exchange.epoch) {
        resend(number, exchange);
      }
      return;
    }
    if (isNothingDone) {
      exchange.answer.completeExceptionally(notServed(exchange));
    } else {
      exchange.answer.complete(reply);
    }
  }

  private static PartitionUnavailableException notServed(Exchange exchange) {
    return new PartitionUnavailableException(
        exchange.refusal.isEmpty()
            ? "partition %d is being opened or moved: try again".formatted(exchange.partition)
            : exchange.refusal);
  }

  /** Fails requests that time out or whose node became unreachable; resends rejected ones. */
  public void tick() {
    long nowNanos = System.nanoTime();
    deliveries.tick();
    for (Exchange exchange : waiting) {
      MembershipView.Owner owner = view.owner(exchange.partition);
      if (!owner.isReachable() && !view.isReplicated()) {
        failWaiting(exchange, unavailable(owner));
      } else if (nowNanos - exchange.deadlineNanos > 0) {
        failWaiting(exchange, budget.refusal(exchange.request.largeBytes()));
      }
    }
    // Some answers were found elsewhere.
    pending.values().removeIf(exchange -> exchange.answer.isDone());
    pending.forEach(
        (number, exchange) -> {
          MembershipView.Owner owner = view.owner(exchange.partition);
          // The node may still reply, though another one owns the partition now.
          boolean isLost =
              (exchange.isAwaitingReply() || !exchange.isForOwner())
                  ? !view.nodes().containsKey(exchange.owner)
                  : !owner.isReachable() && !view.isReplicated();
          if (isLost
              && view.isReplicated()
              && exchange.isForOwner()
              && !exchange.request.isWrite()) {
            exchange.retryAt(nowNanos);
          } else if (isLost) {
            lost(number, exchange);
          } else if (isOfDeposed(exchange, owner, nowNanos)) {
            fail(number, exchange, "no longer leads it, and has not answered");
          } else if (nowNanos - exchange.deadlineNanos > 0) {
            fail(number, exchange, "has not answered in time");
          } else if (exchange.isAwaitingReply()
              ? isLostOnTheWay(exchange, owner, nowNanos)
              : exchange.isRetryDue(nowNanos)
                  || (exchange.isForOwner() && owner.epoch() != exchange.epoch)) {
            resend(number, exchange);
          } else if (exchange.isInterrupted) {
            repeat(number, exchange);
          }
        });
    updateOldestWrite();
  }

  /**
   * Returns whether a read was lost with the old owner. Reads are idempotent, so they go to the new
   * owner.
   */
  private static boolean isLostOnTheWay(
      Exchange exchange, MembershipView.Owner owner, long nowNanos) {
    return exchange.isForOwner()
        && exchange.epoch != owner.epoch()
        && !exchange.request.isWrite()
        && nowNanos - exchange.sentAtNanos > LOST_NANOS;
  }

  /**
   * Returns whether a write was sent to a leader that is dead or cut off, and that another replica
   * has succeeded. Callers then need not wait until the node is known to be lost.
   */
  private boolean isOfDeposed(Exchange exchange, MembershipView.Owner owner, long nowNanos) {
    return view.isReplicated()
        && exchange.isAwaitingReply()
        && exchange.isForOwner()
        && exchange.epoch < owner.epoch()
        && exchange.request.isWrite()
        && nowNanos - exchange.sentAtNanos > DEPOSED_NANOS;
  }

  private void resend(long number, Exchange exchange) {
    if (pending.remove(number) != null) {
      exchange.awaitReply();
      if (exchange.isForOwner()) {
        send(exchange);
      } else {
        transmit(exchange);
      }
    }
  }

  private void lost(long number, Exchange exchange) {
    exchange.refusal = "";
    fail(number, exchange, "is no longer reachable");
  }

  private void fail(long number, Exchange exchange, String why) {
    if (pending.remove(number) == null) {
      return;
    }
    if (!exchange.isAwaitingReply() && !exchange.refusal.isEmpty()) {
      exchange.answer.completeExceptionally(notServed(exchange));
      return;
    }
    String what =
        "node %s, which had a request for partition %d, %s"
            .formatted(exchange.owner, exchange.partition, why);
    exchange.answer.completeExceptionally(
        exchange.request.isWrite() && exchange.isAwaitingReply()
            ? new OutcomeUnknownException(
                what + ": read to find out whether the transaction is committed")
            : new PartitionUnavailableException(what + ": try again once it is back"));
  }

  /** A reply has arrived that can't be read; if the request was a write, it may have been made. */
  public void unread(long number, StoreIoException why) {
    Exchange exchange = pending.get(number);
    boolean isWrite = exchange != null && exchange.request.isWrite();
    complete(number, new Reply.Failed(isWrite ? NodeFaults.unknownOutcome(why) : why));
  }

  /** Fails a request whose reply came from a node with a wrong clock. */
  public void reject(long number, String why) {
    Exchange exchange = pending.get(number);
    if (exchange != null) {
      fail(number, exchange, why);
    }
  }

  /** Fails all requests, and all later ones. */
  public void close() {
    isClosed = true;
    pending.forEach(this::failClosed);
    waiting.forEach(exchange -> failWaiting(exchange, closed()));
  }

  private void failClosed(long number, Exchange exchange) {
    fail(number, exchange, "has not answered, and this node is closed");
  }
}
