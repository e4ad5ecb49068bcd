package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.internal.index.ObjectContent;
import io.github.stablecut.internal.index.ObjectEntry;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.Materializer;
import io.github.stablecut.key.Key;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Conditional writes (protocol 1.10), which are linearizable on a partition. They read commits that
 * are not durable yet, so that many writes to one object share a sync, and they return only when
 * those commits are durable. Thread-safe.
 *
 * <p>Conditional writes to the same objects take turns. They do not block other writers; if one of
 * those commits first, the condition is evaluated again. Conditions run without the commit lock.
 */
public final class ConditionalWrites {
  /** The maximum number of attempts under contention. */
  private static final int MAX_ATTEMPTS = 1_000;

  private final LocalDataCentre local;
  private final Committer committer;
  private final PendingCommits pending;
  private final Materializer versions;
  private final CommitWaiters heldBack;
  private final ObjectTypeCheck types;
  private final ObjectLocks turns;

  public ConditionalWrites(
      Committer committer,
      PendingCommits pending,
      Materializer versions,
      CommitWaiters heldBack,
      ObjectTypeCheck types,
      ObjectLocks turns) {
    this.local = committer.sequencer().state().local();
    this.turns = turns;
    this.heldBack = heldBack;
    this.types = types;
    this.committer = committer;
    this.pending = pending;
    this.versions = versions;
  }

  /**
   * The latest versions of objects, including commits that are not durable.
   *
   * @param at a vector at or above the commit vectors of all these commits
   * @param versions the versions, without objects that have no effects
   * @param seen the least vector at which all these commits on each object are visible; if they are
   *     not in memory, a later one through which everything is in checkpoints
   */
  public record Latest(VectorClock at, Map<Bytes, Version> versions, Map<Bytes, VectorClock> seen) {
    /** The least vector at which all commits that this includes are visible. */
    public VectorClock newest() {
      return seen.values().stream().reduce(VectorClock.ZERO, VectorClock::join);
    }
  }

  /**
   * The result of evaluating a body on the latest versions.
   *
   * @param write empty if there is nothing to write, or the body has thrown
   * @param failure rethrows the body's exception; does nothing if there is none
   */
  public record Attempt(Optional<CommitRequest> write, Runnable failure) {
    /** Evaluates a body. */
    public static Attempt of(Function<Latest, Optional<CommitRequest>> body, Latest latest) {
      try {
        return new Attempt(body.apply(latest), () -> {});
      } catch (Throwable e) {
        return new Attempt(
            Optional.empty(),
            () -> {
              throw e;
            });
      }
    }

    /**
     * Rethrows the body's exception, if any. The exception may reveal commits that the body has
     * seen, so the caller waits until these are durable.
     */
    public void throwFailure() {
      failure.run();
    }
  }

  /**
   * The outcome of a conditional write.
   *
   * @param isWritten whether the condition held
   * @param at the commit vector; or a point at which the condition did not hold
   */
  public record Outcome(boolean isWritten, VectorClock at) {}

  /**
   * Executes a conditional write and waits until its outcome is durable.
   *
   * @param claimed an active snapshot of the caller, so that the states on which the write is based
   *     are not pruned meanwhile
   * @param ids the objects that the condition or the write depends on
   * @param body returns the write, or empty if the condition does not hold; may be called several
   *     times, on the caller's thread. Its exception is rethrown once the commits that it has seen
   *     are durable
   * @throws ConflictException if other writers committed first in all attempts; nothing was changed
   */
  public Outcome execute(
      VectorClock claimed, Collection<Bytes> ids, Function<Latest, Optional<CommitRequest>> body) {
    SubmittedAttempt submitted;
    ObjectLocks.Turn turn = turns.take(ids);
    try {
      submitted = submit(claimed, ids, body);
    } finally {
      turn.end();
      committer.help();
    }
    if (submitted.made.write.isEmpty()) {
      // The outcome may reveal commits that are not durable yet.
      awaitDurable(submitted.latest.newest());
      submitted.made.throwFailure();
      return new Outcome(false, submitted.latest.at);
    }
    CommitRequest request = submitted.made.write.get();
    request.await();
    return new Outcome(true, request.commit().vector());
  }

  /**
   * Waits until all commits that a vector includes are durable, so that their effects may be
   * revealed.
   */
  public void awaitDurable(VectorClock seen) {
    pending.awaitDurable(local.timeIn(seen));
    committer.confirm();
  }

  /**
   * Commits unless an object has changed since it was read, and waits until the commit is durable.
   *
   * @param seen as {@link Latest#seen}
   * @return the commit vector; empty if an object has changed
   */
  public Optional<VectorClock> commitIf(CommitRequest request, Map<Bytes, VectorClock> seen) {
    try {
      if (!submitIf(request, seen)) {
        return Optional.empty();
      }
    } finally {
      committer.help();
    }
    request.await();
    return Optional.of(request.commit().vector());
  }

  private boolean submitIf(CommitRequest request, Map<Bytes, VectorClock> seen) {
    types.check(request);
    request.promiseHelp();
    return heldBack.retry(request, same -> committer.submitIf(request, () -> isUnchanged(seen)));
  }

  /** The last attempt, whose write was submitted if there is one. */
  private record SubmittedAttempt(Latest latest, Attempt made) {}

  private SubmittedAttempt submit(
      VectorClock claimed, Collection<Bytes> ids, Function<Latest, Optional<CommitRequest>> body) {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      Latest latest = latest(claimed, ids);
      Attempt made = Attempt.of(body, latest);
      if (made.write.isEmpty() || submitIf(made.write.get(), latest.seen)) {
        return new SubmittedAttempt(latest, made);
      }
    }
    throw contended(ids);
  }

  private static ConflictException contended(Collection<Bytes> ids) {
    return new ConflictException(
        "objects %s were changed by others %,d times between reading and writing: try again later"
            .formatted(Key.namesOf(ids), MAX_ATTEMPTS));
  }

  /**
   * The latest versions of objects, all at one moment. The caller may reveal them once they are
   * durable ({@link #awaitDurable}).
   *
   * @param claimed as in {@link #execute}
   * @throws ConflictException if other writers kept changing them
   */
  public Latest latest(VectorClock claimed, Collection<Bytes> ids) {
    Map<Bytes, VectorClock> seen = new HashMap<>();
    VectorClock newest = present(ids, seen).join(claimed);
    Map<Bytes, Version> found = new HashMap<>();
    for (Bytes id : ids) {
      // Later commits are above the vector, so all versions are from one moment.
      Optional.ofNullable(versions.hit(id, newest))
          .or(() -> versions.materialize(id, newest))
          .ifPresent(version -> found.put(id, version));
    }
    return new Latest(newest, found, seen);
  }

  /**
   * A vector at or above all commits on some objects, once these are decided and in the index.
   * Reads under the commit lock: a transaction enters the index effect by effect, so a concurrent
   * reader could see a part of it.
   *
   * @param seen receives the least vector at which all commits on each object are visible
   */
  private VectorClock present(Collection<Bytes> ids, Map<Bytes, VectorClock> seen) {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      ids.forEach(pending::awaitUnannounced);
      Optional<VectorClock> present = committer.sequencer().call(() -> readPresent(ids, seen));
      if (present.isPresent()) {
        return present.get();
      }
    }
    throw contended(ids);
  }

  /** Like {@link #present}; empty if an object has a new intent. Under the commit lock. */
  private Optional<VectorClock> readPresent(Collection<Bytes> ids, Map<Bytes, VectorClock> seen) {
    if (ids.stream().anyMatch(pending::isAnnounced)) {
      return Optional.empty();
    }
    ids.forEach(id -> seen.put(id, last(id)));
    // Read after these: commits that a checkpoint removed from memory before are stable now. The
    // entries of other data centres are those of snapshots: they cover the dependencies of local
    // commits.
    VectorClock at = committer.sequencer().shared(committer.times().stable());
    for (VectorClock last : seen.values()) {
      at = local.raise(at, local.timeIn(last));
    }
    return Optional.of(at);
  }

  private boolean isUnchanged(Map<Bytes, VectorClock> seen) {
    return seen.entrySet().stream()
        .allMatch(
            object ->
                last(object.getKey()).equals(object.getValue())
                    && content(object.getKey())
                        .map(content -> content.intents().isEmpty())
                        .orElse(true));
  }

  /**
   * The least vector at which all commits on an object are visible, joined with the vector through
   * which a checkpoint has removed commits from memory. Any further commit changes it, whatever its
   * time and even after its own removal: a commit of another data centre may be earlier than those
   * already here.
   */
  private VectorClock last(Bytes id) {
    VectorClock inMemory = content(id).map(ObjectContent::last).orElse(VectorClock.ZERO);
    // Read last: it is raised before anything is removed.
    return inMemory.join(committer.sequencer().state().index().floor());
  }

  private Optional<ObjectContent> content(Bytes id) {
    return committer.sequencer().state().index().get(id).map(ObjectEntry::content);
  }
}
