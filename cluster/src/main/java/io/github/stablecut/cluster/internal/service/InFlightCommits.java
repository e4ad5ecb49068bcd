package io.github.stablecut.cluster.internal.service;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The commits of a connection that are under way, in the order of their answers. What was committed
 * first is most often durable first; whatever happens, it is answered first. Thread-safe.
 */
final class InFlightCommits {
  /** So many at most: each holds the memory of its request. */
  static final int MAX = 64;

  /** The place of one among the others. */
  static final class Place {
    private @Nullable PartitionWrites written;
    private boolean saysAlive;
    private Runnable answer = () -> {};
    private boolean isDone;
  }

  private final Deque<Place> places = new ArrayDeque<>();

  /** Whether one is being answered. */
  private boolean isAnswering;

  /** A place behind all others. */
  synchronized Place add() {
    Place place = new Place();
    places.add(place);
    return place;
  }

  /** A place behind others, if some are under way, and not too many. */
  synchronized Optional<Place> follow() {
    return places.isEmpty() || places.size() >= MAX ? Optional.empty() : Optional.of(add());
  }

  /** Whether what is to be written has nothing to do with what is under way. */
  synchronized boolean isIndependent(PartitionWrites next) {
    for (Place place : places) {
      if (place.written != null && !next.isIndependentOf(place.written)) {
        return false;
      }
    }
    return true;
  }

  /**
   * What has the place is being committed.
   *
   * @param saysAlive whether the client wants to hear meanwhile that the server is alive
   * @param answer gives its answer once that is there
   */
  synchronized void begun(
      Place place, PartitionWrites written, boolean saysAlive, Runnable answer) {
    place.written = written;
    place.saysAlive = saysAlive;
    place.answer = answer;
  }

  /** Whether the client wants to hear that the server is alive until the next answer. */
  synchronized boolean saysAlive() {
    Place first = places.peek();
    return first != null && first.saysAlive;
  }

  /**
   * Nothing was committed.
   *
   * @return whether nothing else is under way
   */
  synchronized boolean remove(Place place) {
    boolean unused = places.remove(place);
    return isOver();
  }

  /** The answer is there. */
  synchronized void done(Place place) {
    place.isDone = true;
  }

  /** Whether the next answer is there, and none is being given. */
  synchronized boolean isDue() {
    Place first = places.peek();
    return !isAnswering && first != null && first.isDone;
  }

  /**
   * Takes the next answer, unless it is not there yet, or another one is being given; {@link
   * #answered} is to be called after that.
   *
   * @param may whether the caller may give an answer; asked while no other one is being given
   * @return what gives the answer; null if there is none. Takes no memory
   */
  synchronized @Nullable Runnable next(BooleanSupplier may) {
    if (!isDue() || !may.getAsBoolean()) {
      return null;
    }
    isAnswering = true;
    return places.remove().answer;
  }

  /**
   * An answer was given.
   *
   * @return whether nothing is under way any more
   */
  synchronized boolean answered() {
    isAnswering = false;
    return isOver();
  }

  private boolean isOver() {
    return places.isEmpty() && !isAnswering;
  }
}
