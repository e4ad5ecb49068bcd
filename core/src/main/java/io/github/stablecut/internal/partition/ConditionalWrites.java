package io.github.stablecut.internal.partition;

import io.github.stablecut.ConflictException;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.index.ObjectEntry;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.Materializer;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
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
  private static final int STRIPES = 256;

  /** So often others may be faster. */
  private static final int MAX_ATTEMPTS = 1_000;

  private final Partition partition;
  private final Committer committer;
  private final Materializer versions;
  private final ReentrantLock[] stripes = new ReentrantLock[STRIPES];

  ConditionalWrites(Partition partition, Committer committer, Materializer versions) {
    this.partition = partition;
    this.committer = committer;
    this.versions = versions;
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new ReentrantLock();
    }
  }

  /**
   * What some objects are, with all commits that there are, durable or not.
   *
   * @param at the commit vector of the newest of these
   * @param versions of the objects that there are
   */
  public record Latest(VectorClock at, Map<Bytes, Version> versions) {}

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
    TreeSet<Integer> taken = new TreeSet<>();
    ids.forEach(id -> taken.add(Math.floorMod(id.hashCode(), STRIPES)));
    Submitted submitted;
    taken.forEach(stripe -> stripes[stripe].lock());
    try {
      submitted = submit(claimed, ids, body);
    } finally {
      taken.forEach(stripe -> stripes[stripe].unlock());
    }
    if (submitted.request.isEmpty()) {
      // The answer tells of commits that may not be durable.
      partition.awaitDurable(submitted.seen);
      return new Outcome(false, submitted.seen);
    }
    CommitRequest request = submitted.request.get();
    request.await();
    return new Outcome(true, request.commit().vector());
  }

  /** A write on its way, or none because of what was seen. */
  private record Submitted(VectorClock seen, Optional<CommitRequest> request) {}

  private Submitted submit(
      VectorClock claimed, Collection<Bytes> ids, Function<Latest, Optional<CommitRequest>> body) {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      Map<Bytes, Long> seen = new HashMap<>();
      Latest latest = latest(claimed, ids, seen);
      Optional<CommitRequest> request = body.apply(latest);
      if (request.isEmpty() || committer.submitIf(request.get(), () -> isUnchanged(seen))) {
        return new Submitted(latest.at, request);
      }
    }
    throw new ConflictException(
        "objects %s were changed by others %d times between reading and writing: try again later"
            .formatted(ids, MAX_ATTEMPTS));
  }

  private Latest latest(VectorClock claimed, Collection<Bytes> ids, Map<Bytes, Long> seen) {
    VectorClock at = partition.stable().join(claimed);
    for (Bytes id : ids) {
      partition.awaitUnannounced(id);
      long last = lastTime(id);
      var unused = seen.put(id, last);
      at = at.join(VectorClock.of(last));
    }
    Map<Bytes, Version> found = new HashMap<>();
    for (Bytes id : ids) {
      VectorClock newest = at;
      Optional.ofNullable(versions.hit(id, newest))
          .or(() -> versions.materialise(id, newest))
          .ifPresent(version -> found.put(id, version));
    }
    return new Latest(at, found);
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

  /** The time of the last commit on an object that is in memory; a later commit has a later one. */
  private long lastTime(Bytes id) {
    return content(id)
        .map(
            content ->
                Math.max(
                    content.effects().lastTime(),
                    content.unlisted().map(unlisted -> unlisted.last().max()).orElse(0L)))
        .orElse(0L);
  }

  private Optional<ObjectEntry.Content> content(Bytes id) {
    return committer.sequencer().index().get(id).map(ObjectEntry::content);
  }
}
