package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.ConflictException;
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
 * Conditional writes (protocol 1.10), which are linearisable on a partition. They read commits that
 * are not durable yet, so that many writes to one object share a sync, and they report only when
 * what they read is durable. Thread-safe.
 *
 * <p>Conditional writes to the same objects take turns. They do not block other writers; if one of
 * those was faster, the condition is evaluated again. Conditions run without the commit lock.
 */
public final class ConditionalWrites {
  /** The most attempts under contention. */
  private static final int MAX_ATTEMPTS = 1_000;

  private final Committer committer;
  private final PendingCommits pending;
  private final Materializer versions;
  private final HeldBack heldBack;
  private final Turns turns;

  ConditionalWrites(
      Committer committer,
      PendingCommits pending,
      Materializer versions,
      HeldBack heldBack,
      Turns turns) {
    this.turns = turns;
    this.heldBack = heldBack;
    this.committer = committer;
    this.pending = pending;
    this.versions = versions;
  }

  /**
   * The latest versions of objects, including commits that are not durable.
   *
   * @param at a vector at or above the commit vectors of all these commits
   * @param versions the versions, without objects that have no effects
   * @param seen the time of the newest commit on each object; if it is not in memory, a later time
   *     through which everything is in checkpoints
   */
  public record Latest(VectorClock at, Map<Bytes, Version> versions, Map<Bytes, Long> seen) {
    /** The time of the newest commit that this includes. */
    public long newest() {
      return seen.values().stream().mapToLong(time -> time).max().orElse(0);
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
   * @param claimed a snapshot that the caller claims, so that the states that the write is made
   *     from are not pruned meanwhile
   * @param ids the objects that the condition or the write depends on
   * @param body returns the write, or empty if the condition does not hold; may be called several
   *     times, on the caller's thread
   * @throws ConflictException if other writers were faster in all attempts; nothing was changed
   */
  public Outcome execute(
      VectorClock claimed, Collection<Bytes> ids, Function<Latest, Optional<CommitRequest>> body) {
    Submitted submitted;
    Turns.Turn turn = turns.take(ids);
    try {
      submitted = submit(claimed, ids, body);
    } finally {
      turn.end();
    }
    if (submitted.request.isEmpty()) {
      // The outcome may reveal commits that are not durable yet.
      awaitDurable(submitted.latest.newest());
      return new Outcome(false, submitted.latest.at);
    }
    CommitRequest request = submitted.request.get();
    request.await();
    return new Outcome(true, request.commit().vector());
  }

  /** Waits until a commit is durable, so that its effects may be revealed. */
  public void awaitDurable(long commitTime) {
    pending.awaitDurable(commitTime);
  }

  /**
   * Commits unless an object has changed since it was read, and waits until the commit is durable.
   *
   * @param seen as {@link Latest#seen}
   * @return the commit vector; empty if an object has changed
   */
  public Optional<VectorClock> commitIf(CommitRequest request, Map<Bytes, Long> seen) {
    if (!submitIf(request, seen)) {
      return Optional.empty();
    }
    request.await();
    return Optional.of(request.commit().vector());
  }

  private boolean submitIf(CommitRequest request, Map<Bytes, Long> seen) {
    return heldBack.retry(request, () -> committer.submitIf(request, () -> isUnchanged(seen)));
  }

  /** A submitted write; empty if the condition did not hold. */
  private record Submitted(Latest latest, Optional<CommitRequest> request) {}

  private Submitted submit(
      VectorClock claimed, Collection<Bytes> ids, Function<Latest, Optional<CommitRequest>> body) {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      Latest latest = latest(claimed, ids);
      Optional<CommitRequest> request = body.apply(latest);
      if (request.isEmpty() || submitIf(request.get(), latest.seen)) {
        return new Submitted(latest, request);
      }
    }
    throw faster(ids);
  }

  private static ConflictException faster(Collection<Bytes> ids) {
    return new ConflictException(
        "objects %s were changed by others %,d times between reading and writing: try again later"
            .formatted(Key.namesOf(ids), MAX_ATTEMPTS));
  }

  /**
   * The latest versions of objects, all at one moment. The caller may reveal them once they are
   * durable ({@link #awaitDurable}).
   *
   * @param claimed as for {@link #execute}
   * @throws ConflictException if other writers kept changing them
   */
  public Latest latest(VectorClock claimed, Collection<Bytes> ids) {
    Map<Bytes, Long> seen = new HashMap<>();
    VectorClock newest = present(ids, seen).join(claimed);
    Map<Bytes, Version> found = new HashMap<>();
    for (Bytes id : ids) {
      // Later commits are above the vector, so all versions are from one moment.
      Optional.ofNullable(versions.hit(id, newest))
          .or(() -> versions.materialise(id, newest))
          .ifPresent(version -> found.put(id, version));
    }
    return new Latest(newest, found, seen);
  }

  /**
   * A vector at or above all commits on some objects, once these are decided and in the index.
   * Reads under the commit lock: a transaction enters the index effect by effect, and a concurrent
   * reader would see a part of it.
   *
   * @param seen receives the time of the last commit on each object
   */
  private VectorClock present(Collection<Bytes> ids, Map<Bytes, Long> seen) {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      ids.forEach(pending::awaitUnannounced);
      Optional<VectorClock> present = committer.sequencer().call(() -> look(ids, seen));
      if (present.isPresent()) {
        return present.get();
      }
    }
    throw faster(ids);
  }

  /** As {@link #present}; empty if an object has a new intent. Under the commit lock. */
  private Optional<VectorClock> look(Collection<Bytes> ids, Map<Bytes, Long> seen) {
    if (ids.stream().anyMatch(pending::isAnnounced)) {
      return Optional.empty();
    }
    ids.forEach(id -> seen.put(id, lastTime(id)));
    // After the times: commits that a checkpoint has removed from memory before are stable now.
    VectorClock at = committer.times().stable();
    for (long last : seen.values()) {
      at = at.join(VectorClock.of(last));
    }
    return Optional.of(at);
  }

  private boolean isUnchanged(Map<Bytes, Long> seen) {
    return seen.entrySet().stream()
        .allMatch(
            object ->
                lastTime(object.getKey()) == object.getValue()
                    && content(object.getKey())
                        .map(content -> content.intents().isEmpty())
                        .orElse(true));
  }

  /**
   * The time of the last commit on an object, or the later time through which a checkpoint has
   * removed commits from memory. Any later commit has a later time, even after it is removed
   * itself.
   */
  private long lastTime(Bytes id) {
    long inMemory =
        content(id)
            .map(
                content ->
                    Math.max(
                        content.effects().lastTime(),
                        content.unlisted().map(unlisted -> unlisted.last().max()).orElse(0L)))
            .orElse(0L);
    // Read last: it is raised before anything is removed.
    return Math.max(inMemory, committer.sequencer().state().index().floor().max());
  }

  private Optional<ObjectEntry.Content> content(Bytes id) {
    return committer.sequencer().state().index().get(id).map(ObjectEntry::content);
  }
}
