package io.github.stablecut.cluster.internal.service;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The in-flight commits of a connection. They are answered in the order in which they began, in
 * whatever order they become durable. Thread-safe.
 */
final class InFlightCommits {
  /** Maximum number of in-flight commits: each holds the memory of its request. */
  static final int MAX = 64;

  /** A commit in the order of the answers. */
  static final class Entry {
    private @Nullable PartitionWrites writes;
    private boolean needsKeepAlive;
    private Runnable answer = () -> {};
    private boolean isDone;
  }

  private final Deque<Entry> entries = new ArrayDeque<>();

  /** Whether an answer is being sent; it has left the queue already. */
  private boolean isAnswering;

  /** Appends an entry. */
  synchronized Entry add() {
    Entry entry = new Entry();
    entries.add(entry);
    return entry;
  }

  /** Appends an entry if commits are in flight, and fewer than {@link #MAX}. */
  synchronized Optional<Entry> addIfInFlight() {
    return entries.isEmpty() || entries.size() >= MAX ? Optional.empty() : Optional.of(add());
  }

  /** Returns whether writes are independent of all commits in flight. */
  synchronized boolean isIndependent(PartitionWrites next) {
    for (Entry entry : entries) {
      if (entry.writes != null && !next.isIndependentOf(entry.writes)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Records that a commit has started.
   *
   * @param needsKeepAlive whether the client expects keep-alives meanwhile
   * @param answer sends the answer of the completed commit
   */
  synchronized void started(
      Entry entry, PartitionWrites writes, boolean needsKeepAlive, Runnable answer) {
    entry.writes = writes;
    entry.needsKeepAlive = needsKeepAlive;
    entry.answer = answer;
  }

  /** Returns whether the client expects keep-alives until the next answer. */
  synchronized boolean needsKeepAlive() {
    Entry first = entries.peek();
    return first != null && first.needsKeepAlive;
  }

  /**
   * Removes the entry of a commit that did not begin.
   *
   * @return whether no other commit is in flight
   */
  @CanIgnoreReturnValue
  synchronized boolean remove(Entry entry) {
    entries.remove(entry);
    return isOver();
  }

  /** Records that a commit has completed. */
  synchronized void completed(Entry entry) {
    entry.isDone = true;
  }

  /** Returns whether the next commit has completed, and no answer is being sent. */
  synchronized boolean isDue() {
    Entry first = entries.peek();
    return !isAnswering && first != null && first.isDone;
  }

  /**
   * Removes the next commit if it has completed and no other answer is being sent. The caller sends
   * the answer and then calls {@link #answered}. Allocates nothing.
   *
   * @param maySend whether the caller may send an answer; asked only while none is being sent
   * @return sends the answer; null if there is none to send
   */
  synchronized @Nullable Runnable next(BooleanSupplier maySend) {
    if (!isDue() || !maySend.getAsBoolean()) {
      return null;
    }
    isAnswering = true;
    return entries.remove().answer;
  }

  /**
   * Records that the answer has been sent.
   *
   * @return whether no commit is in flight
   */
  synchronized boolean answered() {
    isAnswering = false;
    return isOver();
  }

  private boolean isOver() {
    return entries.isEmpty() && !isAnswering;
  }
}
