package io.github.stablecut.internal.partition;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.materializer.FoundObjects;
import io.github.stablecut.internal.materializer.ScanPlan;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.ConditionalWrites;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.watch.CommitReadRequest;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A partition as transactions use it: a {@link Partition} in this process, or a proxy of one on
 * another node. Thread-safe.
 *
 * <p>A remote partition can also fail with a {@code PartitionUnavailableException} or, if a write
 * was in transit, with an {@link io.github.stablecut.error.OutcomeUnknownException}.
 */
public interface PartitionAccess extends AutoCloseable {
  /** The partition's number. */
  int number();

  /** The partition itself, if it is in this process. */
  Optional<Partition> local();

  /**
   * A vector at or above all commits that this process knows to be acknowledged. In a store of one
   * partition, reads at it never wait.
   */
  VectorClock stable();

  /** A vector at or above the last transaction of each other data centre that is here. */
  VectorClock lastOfOthers();

  /** A vector at or above all commits that this process knows to be acknowledged. */
  VectorClock newest();

  /** Like {@link #newest}, at most about a second old. Occasionally blocks. */
  VectorClock snapshot();

  /** The newest snapshot, after moving on to the present if that is needed to reach a vector. */
  @CanIgnoreReturnValue
  VectorClock snapshotAfter(VectorClock vector);

  /** The current time of this process. */
  VectorClock now();

  /**
   * The time of the data centre up to which the partition is complete in this process, without
   * waiting for another process. The time is recent if other processes answer.
   *
   * @param contained a time to wait for, for {@code atMost}; the result may be earlier, or 0
   * @return empty if this process has no replica of the partition that follows, or knows no such
   *     time
   */
  @CanIgnoreReturnValue
  default OptionalLong near(long contained, Duration atMost) {
    return OptionalLong.empty();
  }

  /**
   * A vector at the partition's present: a read of the object at it sees every commit that was
   * acknowledged before this call, whichever partition decided it. Waits for undecided transactions
   * on the object.
   *
   * @throws io.github.stablecut.error.ReadTimeoutException if one is undecided for too long
   */
  VectorClock present(Bytes id);

  /**
   * A vector that may be ahead of the commits that this process knows. A read of the object at it,
   * joined with {@link #newest} of all partitions, sees every commit that any process acknowledged
   * before this call.
   *
   * @throws io.github.stablecut.error.ReadTimeoutException if a transaction on the object stays
   *     undecided for too long
   */
  VectorClock acknowledged(Bytes id);

  /** Like {@link #acknowledged(Bytes)}, of all commits that this partition has decided. */
  VectorClock acknowledged();

  /**
   * Whether a transaction may begin at a snapshot that it has registered as active. A remote
   * partition retains history for the maximum age of a transaction, so it always admits.
   */
  boolean admits(VectorClock snapshot);

  /**
   * Checks that a snapshot may be read now.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if it is too old
   */
  void check(VectorClock snapshot);

  /**
   * Keeps a snapshot readable until the returned one ends. A local partition retains the active
   * snapshots of this process anyway.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if it is too old
   */
  HeldSnapshot hold(VectorClock snapshot);

  /** A snapshot that is kept readable. */
  @FunctionalInterface
  interface HeldSnapshot {
    /** Releases the snapshot. */
    void end();
  }

  /**
   * Whether {@link #commitAtOnce} most likely commits a transaction that writes an object: the
   * partition is in this process and accepts commits, and the object is in memory.
   */
  default boolean takesAtOnce(Key<?> key) {
    return false;
  }

  /**
   * Commits a transaction if its record can be submitted to the journal without waiting. For
   * transactions that are no session's request and certify nothing.
   *
   * @param executor completes the stage, and neither blocks nor rejects tasks
   * @return the stage, as of {@link #commitAsync}; empty if a wait would be needed: then nothing
   *     was changed, and another request may try otherwise
   */
  default Optional<CompletionStage<VectorClock>> commitAtOnce(
      CommitRequest request, Executor executor) {
    return Optional.empty();
  }

  /**
   * An object's current version, if it is complete in this process's memory; otherwise null, and
   * {@link #versionAt} finds it.
   *
   * @param snapshot the newest snapshot
   */
  @Nullable Version hit(Bytes id, VectorClock snapshot);

  /**
   * An object's current version, if it can be materialized cheaply from this process's memory;
   * otherwise null. Neither blocks nor reads a disk.
   *
   * @param snapshot the newest snapshot
   * @throws io.github.stablecut.error.SnapshotTruncatedException if truncation overtook the
   *     snapshot
   */
  default @Nullable Version folded(Bytes id, VectorClock snapshot) {
    return null;
  }

  /**
   * Requests an object's version at a snapshot from another process. Does not block.
   *
   * @return completes on a thread that must not be blocked; empty if the partition is local or
   *     can't be asked without blocking: {@link #versionAt} finds the version
   */
  default Optional<CompletionStage<Optional<Version>>> asked(Bytes id, VectorClock snapshot) {
    return Optional.empty();
  }

  /**
   * An object's version at a snapshot.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if it is too old
   * @throws io.github.stablecut.error.ReadTimeoutException if a transaction on the object is
   *     undecided for too long
   */
  Optional<Version> versionAt(Bytes id, VectorClock snapshot);

  /**
   * Like {@link #versionAt(Bytes, VectorClock)}, for a reader of a part of the object. A remote
   * partition sends only what the reader needs.
   */
  default Optional<Version> versionAt(Bytes id, Footprint part, VectorClock snapshot) {
    return versionAt(id, snapshot);
  }

  /**
   * The answer to a question about an object at a snapshot. From a remote partition only the answer
   * is sent.
   *
   * @param type the type that the question assumes
   * @throws io.github.stablecut.error.TypeMismatchException if the object has another type
   * @throws io.github.stablecut.error.SnapshotTruncatedException if the snapshot is too old
   * @throws io.github.stablecut.error.ReadTimeoutException if a transaction on the object is
   *     undecided for too long
   */
  default <A> A ask(
      Bytes id, CrdtType<?, ?, ?, ?> type, Question<A> question, VectorClock snapshot) {
    Optional<Version> version = versionAt(id, snapshot);
    Object state = version.isPresent() ? version.get().stateAs(type, id) : type.initial();
    return ObjectQuery.answer(id, type, question, state, snapshot);
  }

  /**
   * The effect of an operation on an object at the context's snapshot. To and from a remote
   * partition only the operation and the effect are sent.
   *
   * @param type the type that the operation assumes
   * @throws io.github.stablecut.crdt.OperationRefusedException if the type forbids it
   * @throws io.github.stablecut.error.TypeMismatchException if the object has another type
   * @throws io.github.stablecut.error.SnapshotTruncatedException if the snapshot is too old
   * @throws io.github.stablecut.error.ReadTimeoutException if a transaction on the object is
   *     undecided for too long
   */
  default Object downstream(
      Bytes id, CrdtType<?, ?, ?, ?> type, Object operation, OperationContext context) {
    Optional<Version> version = versionAt(id, context.snapshot());
    Object state = version.isPresent() ? version.get().stateAs(type, id) : type.initial();
    return CallTypes.downstream(type, operation, state, context);
  }

  /**
   * The frontier at which the states that this process has read at a snapshot may have been pruned;
   * effects made from them carry it. The partition raises it to its own frontier.
   */
  VectorClock pruneFrontier(VectorClock snapshot);

  /**
   * Commits a transaction and waits until it is durable and visible.
   *
   * @return its commit vector
   * @throws io.github.stablecut.error.TypeMismatchException if an object has another type; nothing
   *     was changed
   * @throws io.github.stablecut.error.ConflictException if certification fails; the conflicting
   *     transaction is visible then
   */
  @CanIgnoreReturnValue
  VectorClock commit(CommitRequest request);

  /** Like {@link #commit}, without waiting; the stage is completed on the executor. */
  CompletionStage<VectorClock> commitAsync(CommitRequest request, Executor executor);

  /**
   * Waits for transactions that touch what a transaction certifies and may have been acknowledged
   * before its snapshot: their outcomes may still be in transit. Completes once all are decided
   * here; called before any part is prepared. Completes at once for a partition of another process.
   */
  default CompletionStage<Void> settled(CommitRequest.Part part) {
    return CompletableFuture.completedFuture(null);
  }

  /** Backpressure: waits while too much is queued for the journal. */
  void awaitCapacity();

  /** Receives a message about a distributed transaction. Does not wait for the journal. */
  void receive(Message.ToPartition message);

  /**
   * Executes a conditional write and waits until its outcome is durable.
   *
   * @param claimed a snapshot that the caller has registered as active, so that the states that the
   *     write is made from are not pruned meanwhile
   * @param ids the objects that the condition or the write depends on
   * @param body returns the write, or empty if the condition does not hold; may be called several
   *     times, on the caller's thread
   * @throws io.github.stablecut.error.ConflictException if other writers were faster in all
   *     attempts; nothing was changed
   */
  ConditionalWrites.Outcome writeIf(
      VectorClock claimed,
      Collection<Bytes> ids,
      Function<ConditionalWrites.Latest, Optional<CommitRequest>> body);

  /**
   * Executes a conditional write in the partition's process, and waits until its outcome is
   * durable.
   *
   * @param claimed as for {@link #writeIf}
   * @throws io.github.stablecut.error.ConflictException if other writers were faster in all
   *     attempts; nothing was changed
   */
  ConditionalBatch.Result execute(VectorClock claimed, ConditionalBatch batch);

  /**
   * The objects of a range at a snapshot.
   *
   * @param snapshot registered as active by the caller until the scan is closed
   */
  FoundObjects scan(ScanPlan plan, VectorClock snapshot);

  /**
   * The next commits for a watch over several nodes.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if the next commits are truncated
   */
  CommitReadRequest.Piece commits(CommitReadRequest reading);

  /**
   * The next piece of the partition for a backup of a store over several nodes.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if its snapshot is truncated
   * @throws io.github.stablecut.error.ReadTimeoutException if a transaction stays undecided for too
   *     long
   */
  BackupReadRequest.Piece backup(BackupReadRequest reading);

  /** Resends unanswered messages. Called a few times per second. */
  void tick();

  /**
   * Makes a checkpoint now, truncates accordingly, and waits for both.
   *
   * @throws io.github.stablecut.error.StablecutException if it fails; the store continues without
   *     it
   */
  void checkpoint();

  /** Makes local submitted records durable, and closes a local partition. */
  @Override
  void close();
}
