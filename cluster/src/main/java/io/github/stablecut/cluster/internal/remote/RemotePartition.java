package io.github.stablecut.cluster.internal.remote;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.codec.QuestionCodec;
import io.github.stablecut.crdt.question.NamedQuestion;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.partition.BackupReadRequest;
import io.github.stablecut.internal.partition.ConditionalBatch;
import io.github.stablecut.internal.partition.ConditionalBatchCodec;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.ConditionalWrites;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.watch.CommitReadRequest;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A partition on another node: sends requests to its current owner. All methods but {@link #tell}
 * and {@link #receive} wait for the reply. Thread-safe.
 */
final class RemotePartition {
  private static final Duration CHECKPOINT_TIMEOUT = Duration.ofMinutes(10);

  /** Added to the owner's timeout for the round trip. */
  private static final Duration ROUND_TRIP = Duration.ofSeconds(5);

  /**
   * The time for which an asynchronous answer is awaited before a thread that may wait asks again.
   */
  private static final Duration ASKED_PATIENCE = Duration.ofSeconds(1);

  /** The interval of checks whether a replica here can answer instead of the owner. */
  private static final long LOOK_MILLIS = 50;

  /** The most attempts of a conditional write under contention. */
  private static final int MAX_ATTEMPTS = 1_000;

  private final int number;
  private final ClusterPartition.Node node;
  private final Duration readTimeout;
  private final Duration commitTimeout;

  private final NonBlockingReads quick = new NonBlockingReads(System::nanoTime);

  /** The highest prune frontier that the owner has reported. */
  private volatile VectorClock frontier = VectorClock.ZERO;

  RemotePartition(int number, ClusterPartition.Node node) {
    this.number = number;
    this.node = node;
    this.readTimeout = node.options().timeouts().read().plus(ROUND_TRIP);
    this.commitTimeout = node.options().timeouts().commit().plus(ROUND_TRIP);
  }

  VectorClock present() {
    return ((Reply.Vector) ask(new Request.Present())).vector();
  }

  VectorClock present(Bytes id) {
    return ((Reply.Vector) ask(new Request.PresentOf(id))).vector();
  }

  void check(VectorClock snapshot) {
    ask(new Request.Check(snapshot));
  }

  void hold(long lease, VectorClock snapshot) {
    ask(new Request.HoldLease(lease, snapshot));
  }

  /**
   * @param near looks for the version elsewhere, as in {@link #ask(Request, Function, Supplier)}
   */
  Optional<Version> versionAt(
      Bytes id, Footprint part, VectorClock snapshot, Supplier<Optional<Optional<Version>>> near) {
    Request request = new Request.Read(id, QuestionCodec.encode(part), snapshot);
    return ask(request, reply -> noted(id, part, version(reply)), near);
  }

  /**
   * Like {@link #versionAt}, for the whole object and without waiting, if there is a connection to
   * the owner. Fails if the object is large.
   */
  Optional<CompletionStage<Optional<Version>>> asked(Bytes id, VectorClock snapshot) {
    if (!quick.mayAsk(id) || !node.requests().isConnected(number)) {
      return Optional.empty();
    }
    Request request = new Request.Read(id, QuestionCodec.encode(Footprint.whole()), snapshot);
    return Optional.of(
        node.requests()
            .ask(number, request, ASKED_PATIENCE)
            .whenComplete(this::noteSlow)
            .thenApply(reply -> small(id, version(PendingRequests.checked(reply)))));
  }

  /**
   * Records an owner that does not answer in time, so that it does not receive every request twice.
   */
  private void noteSlow(@Nullable Reply reply, @Nullable Throwable failure) {
    if (failure != null
        || (reply instanceof Reply.Failed failed
            && failed.failure() instanceof PartitionUnavailableException)) {
      quick.unanswered();
    }
  }

  /**
   * Returns the version if the object is small; otherwise fails, as {@link #versionAt} reads large
   * ones.
   */
  private Optional<Version> small(Bytes id, Optional<Version> found) {
    if (isLarge(noted(id, Footprint.whole(), found))) {
      throw new LimitExceededException("object %s is large".formatted(Key.nameOf(id)));
    }
    return found;
  }

  /** Records whether an object is large; a small part of it is no evidence. */
  private Optional<Version> noted(Bytes id, Footprint part, Optional<Version> found) {
    boolean isLarge = isLarge(found);
    if (isLarge || part.equals(Footprint.whole())) {
      quick.found(id, isLarge);
    }
    return found;
  }

  private static boolean isLarge(Optional<Version> found) {
    return found.isPresent() && found.get().wholeBytes() > Links.MAX_BYTES;
  }

  private Optional<Version> version(Reply reply) {
    Reply.ObjectVersion found = (Reply.ObjectVersion) reply;
    raise(found.frontier());
    return found.version();
  }

  /**
   * @param near looks for the answer elsewhere, as in {@link #ask(Request, Function, Supplier)}
   */
  <A> A ask(
      Bytes id,
      CrdtType<?, ?, ?, ?> type,
      Question<A> question,
      VectorClock snapshot,
      Supplier<Optional<A>> near) {
    if (question instanceof NamedQuestion<?> call && !node.options().objectTypes().execute(call)) {
      // The owner does not know the code: the object is fetched.
      Request request = new Request.Read(id, QuestionCodec.encode(Footprint.whole()), snapshot);
      return ask(request, reply -> answer(version(reply), id, type, question, snapshot), near);
    }
    Request request = new Request.Query(id, type, QuestionCodec.encode(question), snapshot);
    return ask(
        request,
        reply -> QuestionCodec.decodeAnswer(question, ((Reply.Answer) reply).encoded()),
        near);
  }

  /** Computes the answer of a version; an object without one is in its initial state. */
  static <A> A answer(
      Optional<Version> version,
      Bytes id,
      CrdtType<?, ?, ?, ?> type,
      Question<A> question,
      VectorClock snapshot) {
    Object state = version.isPresent() ? version.get().stateAs(type, id) : type.initial();
    return ObjectQuery.answer(id, type, question, state, snapshot);
  }

  /** Has the owner compute the effect of an operation. */
  Object downstream(
      Bytes id, CrdtType<?, ?, ?, ?> type, Object operation, OperationContext context) {
    Bytes encoded = Bytes.wrap(CallTypes.encodeOperation(type, operation));
    int before = context.dots().taken();
    Reply.Effect reply =
        (Reply.Effect) ask(new Request.Downstream(id, type, encoded, context.snapshot(), before));
    raise(reply.frontier());
    if (reply.dots() > before) {
      context.dots().take(reply.dots() - before);
    }
    return CallTypes.decodeEffect(type, reply.effect().unwrap());
  }

  /**
   * @param near looks for the page elsewhere, as in {@link #ask(Request, Function, Supplier)}
   */
  Reply.Page page(Request.Scan scan, Supplier<Optional<Reply.Page>> near) {
    return ask(scan, reply -> (Reply.Page) reply, near);
  }

  CommitReadRequest.Piece commits(CommitReadRequest reading) {
    return ((Reply.Commits) ask(new Request.Commits(reading))).piece();
  }

  BackupReadRequest.Piece backup(BackupReadRequest reading) {
    return BackupReadRequest.Piece.decode(
        ((Reply.Answer) ask(new Request.Backup(reading))).encoded());
  }

  @CanIgnoreReturnValue
  private Reply ask(Request request) {
    return node.requests().call(number, request, readTimeout);
  }

  /**
   * Asks the owner, which may be missing for seconds, and meanwhile another possible source: the
   * replica here, once it no longer leads.
   *
   * @param use converts a reply to the answer
   * @param near looks for the answer elsewhere; called periodically while there is no reply
   */
  private <T> T ask(Request request, Function<Reply, T> use, Supplier<Optional<T>> near) {
    CompletableFuture<Reply> reply = node.requests().ask(number, request, readTimeout);
    try {
      while (!isAnswered(reply)) {
        Optional<T> found = near.get();
        if (found.isPresent()) {
          return found.get();
        }
      }
      return use.apply(PendingRequests.joined(reply));
    } finally {
      reply.cancel(false);
    }
  }

  /**
   * Waits a moment for a reply; returns true on an interrupt, so that the caller waits for the
   * reply alone.
   */
  private static boolean isAnswered(CompletableFuture<Reply> reply) {
    try {
      reply.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    } catch (ExecutionException e) {
      // The exception is thrown when the reply is read.
      return true;
    }
  }

  /** Raises the frontier up to which states that this node has read may have been pruned. */
  synchronized void raise(VectorClock reported) {
    frontier = frontier.join(reported);
  }

  VectorClock pruneFrontier(VectorClock snapshot) {
    return frontier.meet(snapshot);
  }

  @CanIgnoreReturnValue
  Reply.Done checkpoint() {
    return (Reply.Done) node.requests().call(number, new Request.Checkpoint(), CHECKPOINT_TIMEOUT);
  }

  VectorClock commit(CommitRequest request) {
    Request commit = new Request.Commit(request);
    return ((Reply.Vector) node.requests().call(number, commit, timeout(request))).vector();
  }

  CompletionStage<VectorClock> commitAsync(CommitRequest request, Executor executor) {
    return node.requests()
        .ask(number, new Request.Commit(request), timeout(request))
        // Before the application's executor, which may wait for what this releases.
        .whenComplete((reply, failure) -> request.tellSettled())
        .thenApplyAsync(
            reply -> ((Reply.Vector) PendingRequests.checked(reply)).vector(), executor);
  }

  private Duration timeout(CommitRequest commit) {
    return node.options().timeouts().commit(commit.bytes()).plus(ROUND_TRIP);
  }

  /**
   * Reads the latest versions, computes the write, and commits it if they have not changed; retries
   * otherwise.
   */
  ConditionalWrites.Outcome writeIf(
      VectorClock claimed,
      List<Bytes> ids,
      Function<ConditionalWrites.Latest, Optional<CommitRequest>> body) {
    for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      Optional<ConditionalWrites.Outcome> outcome = tryWriteIf(claimed, ids, body);
      if (outcome.isPresent()) {
        return outcome.get();
      }
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(100_000L * Math.min(attempt, 50)));
    }
    throw new ConflictException(
        "objects %s were changed by others %d times between reading and writing: try again later"
            .formatted(ids, MAX_ATTEMPTS));
  }

  private Optional<ConditionalWrites.Outcome> tryWriteIf(
      VectorClock claimed,
      List<Bytes> ids,
      Function<ConditionalWrites.Latest, Optional<CommitRequest>> body) {
    Reply.Latest reported = (Reply.Latest) ask(new Request.Latest(claimed, ids));
    raise(reported.frontier());
    ConditionalWrites.Latest latest =
        new ConditionalWrites.Latest(reported.at(), reported.versions(), reported.seen());
    ConditionalWrites.Attempt made = ConditionalWrites.Attempt.of(body, latest);
    Request next =
        made.write()
            .<Request>map(write -> new Request.CommitIf(reported.seen(), write))
            .orElseGet(() -> new Request.AwaitDurable(reported.epoch(), latest.newest()));
    Reply reply = node.requests().call(number, next, commitTimeout);
    if (reply instanceof Reply.PreconditionFailed) {
      return Optional.empty();
    }
    made.throwFailure();
    return Optional.of(
        reply instanceof Reply.Vector at
            ? new ConditionalWrites.Outcome(true, at.vector())
            : new ConditionalWrites.Outcome(false, reported.at()));
  }

  /** Has the owner execute a conditional write. */
  ConditionalBatch.Result execute(VectorClock claimed, ConditionalBatch batch) {
    Request request = new Request.Execute(claimed, ConditionalBatchCodec.encode(batch));
    Reply.ConditionalOutcome reply =
        (Reply.ConditionalOutcome) node.requests().call(number, request, commitTimeout);
    return new ConditionalBatch.Result(
        new ConditionalWrites.Outcome(reply.isWritten(), reply.at()),
        ConditionalBatchCodec.decodeAnswers(batch, reply.answers()));
  }

  /** Sends a request that has no reply. */
  void tell(Request request) {
    node.requests().tell(number, request);
  }

  /**
   * Sends a message of a distributed transaction. If the owner is unreachable, the driver that
   * waits for an answer is notified at once. An opening is lost instead if another replica may soon
   * lead: nothing waits for the transaction yet. Lost messages are repeated by their senders.
   */
  void receive(Message.ToPartition message) {
    MembershipView.Owner owner = node.view().owner(number);
    if (owner.isReachable()) {
      tell(new Request.Deliver(message));
    } else if (message instanceof Message.Decide) {
      refuse(
          message,
          new OutcomeUnknownException(
              "node %s, which owns partition %d, is no longer reachable: read to find out whether the transaction is committed"
                  .formatted(owner.node(), number)));
    } else if (message instanceof Message.Prepare
        || (message instanceof Message.Open && !node.view().isReplicated())) {
      // A prepare also with replicas: other partitions hold what the transaction has prepared.
      refuse(message, PendingRequests.unavailable(owner));
    }
  }

  /** Refuses on another thread: a driver must not be notified while it sends. */
  private void refuse(Message.ToPartition message, StablecutException reason) {
    Message.Refused refused = Message.Refused.of(message, number, reason);
    message.asker().ifPresent(driver -> node.executor().execute(() -> driver.tell(refused)));
  }
}
