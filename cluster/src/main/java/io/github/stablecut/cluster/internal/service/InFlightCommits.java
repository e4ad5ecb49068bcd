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

  /** A commit's position in the order of the answers. */
  static final class Place {
    private @Nullable PartitionWrites written;
    private boolean saysAlive;
    private Runnable answer = () -> {};
    private boolean isDone;
  }

  private final Deque<Place> places = new ArrayDeque<>();

  /** Whether an answer is being sent; it has left the queue already. */
  private boolean isAnswering;

  /** Appends a place. */
  synchronized Place add() {
    Place place = new Place();
    places.add(place);
    return place;
  }

  /** Appends a place if commits are in flight, and fewer than {@link #MAX}. */
  synchronized Optional<Place> follow() {
    return places.isEmpty() || places.size() >= MAX ? Optional.empty() : Optional.of(add());
  }

  /** Returns whether writes are independent of all commits in flight. */
  synchronized boolean isIndependent(PartitionWrites next) {
    for (Place place : places) {
      if (place.written != null && !next.isIndependentOf(place.written)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Records that a commit has begun.
   *
   * @param saysAlive whether the client expects keep-alives meanwhile
   * @param answer sends the answer of the completed commit
   */
  synchronized void begun(
      Place place, PartitionWrites written, boolean saysAlive, Runnable answer) {
    place.written = written;
    place.saysAlive = saysAlive;
    place.answer = answer;
  }

  /** Returns whether the client expects keep-alives until the next answer. */
  synchronized boolean saysAlive() {
    Place first = places.peek();
    return first != null && first.saysAlive;
  }

  /**
   * Removes the place of a commit that did not begin.
   *
   * @return whether no other commit is in flight
   */
  @CanIgnoreReturnValue
  synchronized boolean remove(Place place) {
    places.remove(place);
    return isOver();
  }

  /** Records that a commit has completed. */
  synchronized void done(Place place) {
    place.isDone = true;
  }

  /** Returns whether the next commit has completed, and no answer is being sent. */
  synchronized boolean isDue() {
    Place first = places.peek();
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
    return places.remove().answer;
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
    return places.isEmpty() && !isAnswering;
  }
}
