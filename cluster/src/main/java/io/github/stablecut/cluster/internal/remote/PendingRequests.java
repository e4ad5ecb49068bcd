package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.wire.Fragment;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StablecutException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The requests of this node that are not answered. A request to a node that can't be reached fails
 * at once; one that was on its way when its owner was lost fails with what is known: nothing was
 * done, or nobody knows. Thread-safe.
 */
public final class PendingRequests {

  /** Brings requests to partitions. */
  public interface Post {
    /** Sends a small request to a partition's entity; it may be lost. */
    void send(int partition, long epoch, long number, Bytes request);

    /**
     * Sends a request about a partition to a node.
     *
     * @param epoch 0 if it does not matter whether the node owns the partition
     * @param done called once its bytes are not needed for that any more
     */
    void sendTo(
        String address, int partition, long epoch, long number, Bytes request, Runnable done);

    /** Sends nothing more of a request. */
    void forget(long number);
  }

  /** What came to the wrong owner is sent again after this time, if no other is known before. */
  private static final long AGAIN_NANOS = 100_000_000;

  /** After this time an answer from an owner that has another successor is not waited for. */
  private static final long LOST_NANOS = 500_000_000;

  /** Whether an answer is waited for. */
  public enum Awaited {
    /** Nobody waits for it. */
    NO,
    /** If it can't be read now, the request can be asked again. */
    OR_AGAIN,
    /** It is waited for, and can't be told twice. */
    FOR_SURE
  }

  private static final class Pending {
    private final int partition;
    private final Request request;
    private final long deadline;
    private final CompletableFuture<Reply> answer = new CompletableFuture<>();

    /** Empty before there is memory for it. */
    private volatile Bytes encoded = Bytes.EMPTY;

    /** Under which it was sent last. */
    private volatile long number;

    /** Why an owner could not take it, or its answer could not be read. */
    private volatile String busy = "";

    /** Who was asked. */
    private volatile String owner = "";

    /** In which epoch the owner was asked; 0 if it does not matter whose the partition is. */
    private volatile long epoch;

    private volatile long sent;

    /** When it is to be asked again, because its epoch was over; 0 while it waits for an answer. */
    private volatile long again;

    Pending(int partition, Request request, long deadline) {
      this.partition = partition;
      this.request = request;
      this.deadline = deadline;
    }
  }

  private final MembershipView view;
  private final Post post;
  private final TrafficBudget budget;
  private final Executor executor;
  private final Deliveries deliveries;

  /** What waits for memory. */
  private final Set<Pending> waiting = ConcurrentHashMap.newKeySet();

  private final Map<Long, Pending> pending = new ConcurrentHashMap<>();
  private final AtomicLong numbers = new AtomicLong(ThreadLocalRandom.current().nextLong());

  /** Whether nobody looks any more for what is not answered. */
  private volatile boolean isClosed;

  /**
   * @param budget the memory for what is not answered
   * @param executor goes on with what has waited for memory; does not block
   */
  public PendingRequests(MembershipView view, Post post, TrafficBudget budget, Executor executor) {
    this.view = view;
    this.post = post;
    this.budget = budget;
    this.executor = executor;
    this.deliveries = new Deliveries(budget, executor, System::nanoTime, this::deliver);
  }

  /**
   * PendingRequests the owner of a partition; the answer completes on an actor's thread, so hurry
   * there.
   */
  CompletableFuture<Reply> ask(int partition, Request request, Duration timeout) {
    Pending asked = new Pending(partition, request, System.nanoTime() + timeout.toNanos());
    CompletableFuture<TrafficBudget.Reservation> memory = budget.request(request.largeBytes());
    if (!memory.isDone()) {
      await(asked, memory);
    }
    var unused =
        memory.isDone()
            ? memory.whenComplete((claim, failure) -> begin(asked, claim, failure))
            : memory.whenCompleteAsync((claim, failure) -> begin(asked, claim, failure), executor);
    return asked.answer;
  }

  /** Waits for memory as long as there is time, and the owner can be reached. */
  private void await(Pending asked, CompletableFuture<TrafficBudget.Reservation> memory) {
    boolean unused = waiting.add(asked);
    var unusedToo =
        asked.answer.whenComplete(
            (reply, failure) -> {
              waiting.remove(asked);
              memory.cancel(false);
            });
    if (isClosed) {
      failWaiting(asked, "this node is closed");
    }
  }

  /** Encodes and sends what has its memory, which it keeps until it is answered. */
  private void begin(
      Pending asked, TrafficBudget.@Nullable Reservation claim, @Nullable Throwable failure) {
    if (claim == null) {
      boolean unused = asked.answer.completeExceptionally(Objects.requireNonNull(failure));
      return;
    }
    var unused = asked.answer.whenComplete((reply, failed) -> claim.close());
    if (asked.answer.isDone()) {
      return;
    }
    boolean unusedToo = waiting.remove(asked);
    try {
      Bytes encoded = RequestCodec.encode(asked.request);
      Fragment.checkSize(encoded);
      asked.encoded = encoded;
      claim.resize(encoded.length());
      if (OutboundFragments.isLarge(encoded)) {
        var unusedAsWell = asked.answer.whenComplete((reply, failed) -> post.forget(asked.number));
      }
      send(numbers.incrementAndGet(), asked);
    } catch (RuntimeException | Error e) {
      boolean unusedAsWell = asked.answer.completeExceptionally(e);
    }
  }

  private static void failWaiting(Pending asked, String why) {
    boolean unused =
        asked.answer.completeExceptionally(
            new PartitionUnavailableException("nothing was sent: " + why));
  }

  /**
   * PendingRequests and waits.
   *
   * @throws StablecutException what the owner failed with, or why it can't be asked
   */
  Reply join(int partition, Request request, Duration timeout) {
    return joined(ask(partition, request, timeout));
  }

  private static Reply joined(CompletableFuture<Reply> answer) {
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

  /** As {@link #ask}, asks a node by its name, in whatever epoch. */
  CompletableFuture<Reply> askNode(String node, int partition, Request request, Duration timeout) {
    Pending asked = new Pending(partition, request, System.nanoTime() + timeout.toNanos());
    long number = numbers.incrementAndGet();
    String address = view.nodes().get(node);
    asked.owner = node;
    if (address == null) {
      return CompletableFuture.failedFuture(
          new PartitionUnavailableException(
              "node %s can't be reached: try again once it is back".formatted(node)));
    }
    note(number, asked);
    post.sendTo(address, partition, 0, number, RequestCodec.encode(request), () -> {});
    return asked.answer;
  }

  /** As {@link #join}, asks a node by its name, in whatever epoch. */
  public Reply joinNode(String node, int partition, Request request, Duration timeout) {
    return joined(askNode(node, partition, request, timeout));
  }

  /** Tells a node what needs no answer; it may be lost. */
  public void tellNode(String node, int partition, Request request) {
    String address = view.nodes().get(node);
    if (address != null) {
      long number = numbers.incrementAndGet();
      post.sendTo(address, partition, 0, number, RequestCodec.encode(request), () -> {});
    }
  }

  /** A reply that is no failure. */
  static Reply checked(Reply reply) {
    if (reply instanceof Reply.Failed failed) {
      throw failed.failure();
    }
    return reply;
  }

  /** Sends what needs no answer, or is sent again if it gets none; drops it if that can't be. */
  void tell(int partition, Request request) {
    if (request instanceof Request.Deliver deliver
        && deliver.largeBytes() > TrafficBudget.SMALL_BYTES) {
      deliveries.send(partition, deliver);
    } else {
      deliver(partition, RequestCodec.encode(request), () -> {});
    }
  }

  private void deliver(int partition, Bytes request, Runnable done) {
    MembershipView.Owner owner = view.owner(partition);
    if (owner.isReachable()) {
      post(owner, numbers.incrementAndGet(), request, done);
    } else {
      done.run();
    }
  }

  private void send(long number, Pending asked) {
    MembershipView.Owner owner = view.owner(asked.partition);
    if (!owner.isReachable()) {
      boolean unused = asked.answer.completeExceptionally(unavailable(owner));
      return;
    }
    asked.owner = owner.node();
    asked.epoch = owner.epoch();
    asked.sent = System.nanoTime();
    asked.number = number;
    note(number, asked);
    post(owner, number, asked.encoded, () -> {});
    if (!view.nodes().containsKey(asked.owner)) {
      // Lost between the look and the note of it.
      lost(number, asked);
    }
  }

  /** From now on the answer is waited for, unless nobody would notice that it does not come. */
  private void note(long number, Pending asked) {
    var unused = pending.put(number, asked);
    if (isClosed) {
      unawaited(number, asked);
    }
  }

  /**
   * By the partition's entity if it is small, or around it as long as it is not known to be there.
   */
  private void post(MembershipView.Owner owner, long number, Bytes request, Runnable done) {
    if (!OutboundFragments.isLarge(request) && view.routes().isProven(owner.partition())) {
      post.send(owner.partition(), owner.epoch(), number, request);
      done.run();
    } else {
      post.sendTo(owner.address(), owner.partition(), owner.epoch(), number, request, done);
    }
  }

  public static PartitionUnavailableException unavailable(MembershipView.Owner owner) {
    return new PartitionUnavailableException(
        owner.node().isEmpty()
            ? "partition %d has no owner that was heard of: wait for the nodes that are not there"
                .formatted(owner.partition())
            : "partition %d is on node %s%s, which can't be reached: try again once it is back"
                .formatted(
                    owner.partition(),
                    owner.node(),
                    owner.address().isEmpty() ? "" : " at " + owner.address()));
  }

  /** Whether an answer is waited for. */
  public Awaited awaited(long number) {
    Pending asked = pending.get(number);
    if (asked == null) {
      return Awaited.NO;
    }
    boolean isOnce = asked.request.isWrite() || asked.request instanceof Request.OfMove;
    return isOnce ? Awaited.FOR_SURE : Awaited.OR_AGAIN;
  }

  /** An answer has come. */
  public void answer(long number, Reply reply) {
    Pending asked = pending.remove(number);
    if (reply instanceof Reply.Busy) {
      post.forget(number);
    }
    if (asked == null) {
      view.routes().answer(number, reply instanceof Reply.At);
      return;
    }
    boolean isNothingDone = reply instanceof Reply.Stale || reply instanceof Reply.Busy;
    asked.busy = reply instanceof Reply.Busy busy ? busy.why() : "";
    if (isNothingDone && System.nanoTime() - asked.deadline < 0) {
      // The view is newer, or will be soon; or others need their memory no more.
      asked.again = System.nanoTime() + AGAIN_NANOS;
      note(number, asked);
      if (view.owner(asked.partition).epoch() != asked.epoch) {
        askAgain(number, asked);
      }
      return;
    }
    boolean unused =
        isNothingDone
            ? asked.answer.completeExceptionally(notTaken(asked))
            : asked.answer.complete(reply);
  }

  private static PartitionUnavailableException notTaken(Pending asked) {
    return new PartitionUnavailableException(
        asked.busy.isEmpty()
            ? "partition %d is being opened or moved: try again".formatted(asked.partition)
            : asked.busy);
  }

  /** Fails what takes too long, and what a node was asked that can't be reached any more. */
  public void tick() {
    view.routes().tick(view.owners(), numbers::incrementAndGet, this::tryEntity);
    long now = System.nanoTime();
    deliveries.tick();
    for (Pending asked : waiting) {
      MembershipView.Owner owner = view.owner(asked.partition);
      if (!owner.isReachable()) {
        boolean unused = asked.answer.completeExceptionally(unavailable(owner));
      } else if (now - asked.deadline > 0) {
        boolean unused =
            asked.answer.completeExceptionally(budget.refusal(asked.request.largeBytes()));
      }
    }
    pending.forEach(
        (number, asked) -> {
          MembershipView.Owner owner = view.owner(asked.partition);
          // Who was asked may answer still, though the partition is another's by now.
          boolean isLost =
              asked.again == 0 ? !view.nodes().containsKey(asked.owner) : !owner.isReachable();
          if (isLost) {
            lost(number, asked);
          } else if (now - asked.deadline > 0) {
            fail(number, asked, "has not answered in time");
          } else if (asked.again == 0
              ? isLostOnTheWay(asked, owner, now)
              : now - asked.again > 0 || owner.epoch() != asked.epoch) {
            askAgain(number, asked);
          }
        });
  }

  private void tryEntity(MembershipView.Owner owner, long number) {
    post.send(owner.partition(), owner.epoch(), number, RequestCodec.encode(new Request.Present()));
  }

  /**
   * Reading twice harms nobody, so a read that the old owner has not answered is sent to the new.
   */
  private static boolean isLostOnTheWay(Pending asked, MembershipView.Owner owner, long now) {
    return asked.epoch != 0
        && asked.epoch != owner.epoch()
        && !asked.request.isWrite()
        && now - asked.sent > LOST_NANOS;
  }

  private void askAgain(long number, Pending asked) {
    if (pending.remove(number) != null) {
      asked.again = 0;
      send(numbers.incrementAndGet(), asked);
    }
  }

  private void lost(long number, Pending asked) {
    fail(number, asked, "can't be reached any more");
  }

  private void fail(long number, Pending asked, String why) {
    if (pending.remove(number) == null) {
      return;
    }
    if (asked.again != 0 && !asked.busy.isEmpty()) {
      boolean unused = asked.answer.completeExceptionally(notTaken(asked));
      return;
    }
    String what =
        "node %s, which was asked for partition %d, %s"
            .formatted(asked.owner, asked.partition, why);
    boolean unused =
        asked.answer.completeExceptionally(
            asked.request.isWrite() && asked.again == 0
                ? new OutcomeUnknownException(
                    what + ": read to find out whether the transaction is committed")
                : new PartitionUnavailableException(what + ": try again once it is back"));
  }

  /** What has answered can't be believed. */
  public void refuse(long number, String why) {
    Pending asked = pending.get(number);
    if (asked != null) {
      fail(number, asked, why);
    }
  }

  /** Fails all that is asked, and will be. */
  public void close() {
    isClosed = true;
    pending.forEach(this::unawaited);
    waiting.forEach(asked -> failWaiting(asked, "this node is closed"));
  }

  private void unawaited(long number, Pending asked) {
    fail(number, asked, "was not waited for: this node is closed");
  }
}
