package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.FoundObjects;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A partition as transactions use it, wherever it is: {@link Partition} in this process, or what a
 * cluster has for one of another node. Thread-safe.
 *
 * <p>What is not in this process answers later, and can fail with a {@code
 * PartitionUnavailableException}, or, if a write was on its way, with an {@link
 * io.github.stablecut.error.OutcomeUnknownException}.
 */
public interface PartitionAccess extends AutoCloseable {
  /** The partition's number. */
  int number();

  /** The partition itself, if it is in this process. */
  Optional<Partition> local();

  /**
   * A vector at or above all that this process knows to be acknowledged; reads at that of a store
   * of one partition wait for nobody.
   */
  VectorClock stable();

  /** A vector at or above all that this process knows to be acknowledged. */
  VectorClock newest();

  /** As {@link #newest}, of a time at most about a second old. Now and then it blocks. */
  VectorClock snapshot();

  /** The newest snapshot, after moving on to the present if that is needed to reach a vector. */
  VectorClock snapshotAfter(VectorClock vector);

  /** The present of this process. */
  VectorClock now();

  /**
   * A present of the partition: a read of the object at it sees every commit that was acknowledged
   * before this call, whoever has decided it. Waits for transactions on the object that are not
   * decided.
   *
   * @throws io.github.stablecut.error.ReadTimeoutException if one is undecided for too long
   */
  VectorClock present(Bytes id);

  /**
   * Whether a transaction may begin at a snapshot, which it has claimed before it asks. What is not
   * in this process keeps history for as long as a transaction may take, and says yes.
   */
  boolean admits(VectorClock snapshot);

  /**
   * Checks that a snapshot may be read now.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if it is too old
   */
  void check(VectorClock snapshot);

  /**
   * Keeps a snapshot readable until the claim is ended. What is in this process knows of the claims
   * of this process already.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if it is too old
   */
  Claim hold(VectorClock snapshot);

  /** A claim on a snapshot. */
  @FunctionalInterface
  interface Claim {
    /** Ends it. */
    void end();
  }

  /**
   * What an object is now, or null if that is not in this process's memory in one piece, or not
   * sure: {@link #versionAt} finds it then.
   *
   * @param snapshot the newest there is
   */
  @Nullable Version hit(Bytes id, VectorClock snapshot);

  /**
   * What an object was at a snapshot.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if it is too old
   * @throws io.github.stablecut.error.ReadTimeoutException if a transaction on the object is
   *     undecided for too long
   */
  Optional<Version> versionAt(Bytes id, VectorClock snapshot);

  /**
   * A frontier at which the states may have been pruned that this process has read at a snapshot;
   * effects made from them carry it. The partition raises it to its own.
   */
  VectorClock pruneFrontier(VectorClock snapshot);

  /**
   * Commits a transaction and waits until it is durable and visible.
   *
   * @return its commit vector
   * @throws io.github.stablecut.error.TypeMismatchException if an object has another type; nothing
   *     was changed
   * @throws io.github.stablecut.error.ConflictException if it has to be certified and another one
   *     was faster; the other is visible then
   */
  VectorClock commit(CommitRequest request);

  /** As {@link #commit}, without waiting; the stage is completed on the executor. */
  CompletionStage<VectorClock> commitAsync(CommitRequest request, Executor executor);

  /** Waits while too much is on its way to the journal. */
  void awaitCapacity();

  /** Takes a message about a transaction of several partitions. Does not wait for the journal. */
  void receive(Message.ToPartition message);

  /**
   * Executes a conditional write and waits until its answer is durable.
   *
   * @param claimed a snapshot that the caller has claimed, so that what the write is made from is
   *     not pruned meanwhile
   * @param ids all objects that the condition or the write depends on
   * @param body what to write, or nothing if the condition does not hold; may be called several
   *     times, by the caller's thread
   * @throws io.github.stablecut.error.ConflictException if others wrote the objects faster all the
   *     time; nothing was changed
   */
  ConditionalWrites.Outcome writeIf(
      VectorClock claimed,
      Collection<Bytes> ids,
      Function<ConditionalWrites.Latest, Optional<CommitRequest>> body);

  /**
   * The objects of a range at a snapshot.
   *
   * @param snapshot claimed by the caller until the scan is closed
   */
  FoundObjects scan(IdRange range, VectorClock snapshot);

  /** Sends again what was not answered. To be called a few times per second. */
  void tick();

  /**
   * Makes a checkpoint now, truncates what it allows, and waits for both.
   *
   * @throws io.github.stablecut.error.StablecutException if that failed; the store goes on without
   */
  void checkpoint();

  /** Makes durable what was submitted here, and closes what is in this process. */
  @Override
  void close();
}
