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
 * Writes that depend on what objects are at the moment of the write (protocol 1.10): linearisable
 * on a partition. They read what is committed but not durable yet, so that many on one object share
 * a sync, and answer only when what they have read is durable. Thread-safe.
 *
 * <p>Conditional writes of the same objects take turns; other writers are not held up, and if one
 * was faster the condition is looked at again. Conditions run without the commit lock.
 */
public final class ConditionalWrites {
  /** So often others may be faster. */
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
   * What some objects are, with all commits that there are, durable or not.
   *
   * @param at a vector at or above the commit vectors of all these
   * @param versions of the objects that there are
   * @param seen the commit time of the newest of these on each object; if it is not in memory, a
   *     later time through which everything is in checkpoints
   */
  public record Latest(VectorClock at, Map<Bytes, Version> versions, Map<Bytes, Long> seen) {
    /** The commit time of the newest that is in this. */
    public long newest() {
      return seen.values().stream().mapToLong(time -> time).max().orElse(0);
    }
  }

  /**
   * What came of it.
   *
   * @param isWritten whether the condition held
   * @param at the commit vector; or a point at which the condition did not hold
   */
  public record Outcome(boolean isWritten, VectorClock at) {}

  /**
   * Executes a conditional write and waits until its answer is durable.
   *
   * @param claimed a snapshot that the caller has claimed, so that what the write is made from is
   *     not pruned meanwhile
   * @param ids all objects that the condition or the write depends on
   * @param body what to write, or nothing if the condition does not hold; may be called several
   *     times, by the caller's thread
   * @throws ConflictException if others wrote the objects faster all the time; nothing was changed
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
      // The answer tells of commits that may not be durable.
      awaitDurable(submitted.latest.newest());
      return new Outcome(false, submitted.latest.at);
    }
    CommitRequest request = submitted.request.get();
    request.await();
    return new Outcome(true, request.commit().vector());
  }

  /** Waits until a commit that was seen is durable, so that others may be told of it. */
  public void awaitDurable(long commitTime) {
    pending.awaitDurable(commitTime);
  }

  /**
   * Commits, unless an object has changed since it was looked at, and waits until that is durable.
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

  /** A write on its way, or none because of what was seen. */
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
   * What some objects are now, all of them at one moment. Others may be told of it once it is
   * durable ({@link #awaitDurable}).
   *
   * @param claimed as for {@link #execute}
   * @throws ConflictException if others wrote them all the time
   */
  public Latest latest(VectorClock claimed, Collection<Bytes> ids) {
    Map<Bytes, Long> seen = new HashMap<>();
    VectorClock newest = present(ids, seen).join(claimed);
    Map<Bytes, Version> found = new HashMap<>();
    for (Bytes id : ids) {
      // Later commits are above the vector, so all objects are as they were at one moment.
      Optional.ofNullable(versions.hit(id, newest))
          .or(() -> versions.materialise(id, newest))
          .ifPresent(version -> found.put(id, version));
    }
    return new Latest(newest, found, seen);
  }

  /**
   * A vector at or above all commits on some objects, once all of these are decided and can be
   * found. Under the commit lock: a transaction enters the index effect by effect, and whoever
   * looks meanwhile would see a part of it, which has the same time as the whole.
   *
   * @param seen is given the time of the last commit on each object
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

  /** As {@link #present}; empty if an object is announced again. Under the commit lock. */
  private Optional<VectorClock> look(Collection<Bytes> ids, Map<Bytes, Long> seen) {
    if (ids.stream().anyMatch(pending::isAnnounced)) {
      return Optional.empty();
    }
    ids.forEach(id -> seen.put(id, lastTime(id)));
    // After the times: what a checkpoint has taken out of memory before is stable now.
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
   * The time of the last commit on an object, or a later one: that through which a checkpoint has
   * taken commits out of memory. A later commit has a later one, also when it is taken out itself.
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
    // Afterwards: it was raised before anything was taken out.
    return Math.max(inMemory, committer.sequencer().state().index().floor().max());
  }

  private Optional<ObjectEntry.Content> content(Bytes id) {
    return committer.sequencer().state().index().get(id).map(ObjectEntry::content);
  }
}
