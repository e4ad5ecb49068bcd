package io.github.stablecut.internal.watch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A minimal partition: prepares at a time, commits at that time whenever asked, and keeps
 * everything in memory. Thread-safe.
 */
final class MinimalPartition implements CommitSource {
  private final Bytes id;
  private final CommitFeed feed;

  @GuardedBy("this")
  private final TreeSet<Long> prepared = new TreeSet<>();

  @GuardedBy("this")
  private final TreeMap<Long, MinimalCommit> committed = new TreeMap<>();

  @GuardedBy("this")
  private long stable;

  MinimalPartition(int number, long maxBytes) {
    this.id = Bytes.utf8("object of " + number);
    this.feed = new CommitFeed(VectorClock.ZERO, maxBytes);
  }

  Bytes id() {
    return id;
  }

  synchronized void prepare(long time) {
    prepared.add(time);
  }

  /** Commits the transactions prepared at some times, as one group. */
  void commit(List<Long> times) {
    List<MinimalCommit> group =
        times.stream().map(time -> new MinimalCommit(VectorClock.of(time), id)).toList();
    synchronized (this) {
      group.forEach(commit -> committed.put(commit.commitVector().max(), commit));
      feed.publish(group, Optional::of, VectorClock.of(committed.lastKey()));
    }
    synchronized (this) {
      times.forEach(prepared::remove);
      stable = Math.max(stable, decidedUpTo(committed.lastKey()));
    }
    feed.wake();
  }

  @GuardedBy("this")
  private long decidedUpTo(long time) {
    return prepared.isEmpty() ? time : Math.min(time, prepared.first() - 1);
  }

  @Override
  public CommitFeed feed() {
    return feed;
  }

  @Override
  public synchronized VectorClock stable() {
    return VectorClock.of(stable);
  }

  @Override
  public synchronized VectorClock stableAfter(VectorClock vector) {
    stable = Math.max(stable, decidedUpTo(vector.max()));
    return stable();
  }

  @Override
  public CommitHistory history(VectorClock after, CommitFilter wanted) {
    return new CommitHistory() {
      private long complete = after.max();

      @Override
      public Piece read(int most) {
        synchronized (MinimalPartition.this) {
          List<CommittedWrites> piece = new ArrayList<>();
          long until = Math.max(complete, stable);
          for (MinimalCommit commit : committed.subMap(complete, false, until, true).values()) {
            if (piece.size() == most) {
              return new Piece(piece, VectorClock.of(complete), false);
            }
            piece.add(CommittedWrites.of(commit, wanted.withEffects()));
            complete = commit.commitVector().max();
          }
          complete = until;
          return new Piece(piece, VectorClock.of(until), true);
        }
      }
    };
  }
}
