package io.github.stablecut.object;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.crdt.stream.StreamValue;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.StreamKey;
import io.github.stablecut.key.StreamSlice;
import io.github.stablecut.object.StoreSpace.Latest;
import java.util.Optional;

/** The state that a handle of an object with {@link View#LOCAL} caches. Thread-safe. */
final class LocalState<S> {
  private final StreamKey<Bytes> log;
  private final ObjectType<S> type;

  /**
   * A cached state.
   *
   * @param space the space of the store that it was read from
   * @param position how many calls produced it
   * @param isFinal whether no call can still be ordered before these
   */
  record CachedState<S>(StoreSpace space, LoadedState<S> loaded, long position, boolean isFinal) {
    S state() {
      return loaded.state();
    }
  }

  @GuardedBy("this")
  private Optional<CachedState<S>> known = Optional.empty();

  LocalState(StreamKey<Bytes> log, ObjectType<S> type) {
    this.log = log;
    this.type = type;
  }

  /**
   * Returns the newest state, executing the new calls. While there are other data centres, their
   * calls may be ordered before those that are here, so nothing is cached.
   */
  synchronized S state(StoreSpace space) {
    Optional<CachedState<S>> from = known(space);
    known = Optional.empty();
    CachedState<S> next = from.isEmpty() ? loaded(space) : caughtUp(space, from.get());
    keep(next);
    return next.state();
  }

  /** Returns the cached state if it is the one after a number of calls. */
  synchronized Optional<S> stateAt(long position) {
    return known.filter(state -> state.position == position).map(CachedState::state);
  }

  /** Returns the cached state, or loads one if there is none. */
  synchronized CachedState<S> knownOrLoaded(StoreSpace space) {
    CachedState<S> found = known(space).orElseGet(() -> loaded(space));
    keep(found);
    return found;
  }

  private synchronized Optional<CachedState<S>> known(StoreSpace space) {
    return known.filter(before -> before.space.isOf(space));
  }

  /** Caches a state unless a newer one is cached. */
  synchronized void keep(CachedState<S> next) {
    if (next.isFinal && known(next.space).filter(now -> now.position > next.position).isEmpty()) {
      known = Optional.of(next);
    }
  }

  /** Discards the cached state. */
  synchronized void forget() {
    known = Optional.empty();
  }

  private CachedState<S> loaded(StoreSpace space) {
    Latest<StreamValue> found = space.latest(log, log).map(view -> view.value());
    StreamValue value = found.value();
    return new CachedState<>(space, value.fold(type.fold()), value.tail(), found.isFinal());
  }

  /** Returns the query for the calls that are newer than a state. */
  Query<StreamSlice<Bytes>> newCalls(CachedState<S> from) {
    return log.slice(from.position, from.position + Question.MAX_ITEMS);
  }

  /**
   * Advances a state by some of the new calls.
   *
   * @return empty if calls that it lacks are already in a summary, or its calls may differ from the
   *     log's
   */
  Optional<CachedState<S>> advanced(CachedState<S> from, Latest<StreamSlice<Bytes>> calls) {
    StreamSlice<Bytes> slice = calls.value();
    if (!calls.isFinal() || slice.first() > from.position || slice.tail() < from.position) {
      return Optional.empty();
    }
    LoadedState<S> made = from.loaded;
    for (Bytes call : slice.entries()) {
      made = type.fold().next(made, call);
    }
    return Optional.of(
        new CachedState<>(from.space, made, from.position + slice.entries().size(), true));
  }

  private CachedState<S> caughtUp(StoreSpace space, CachedState<S> from) {
    CachedState<S> now = from;
    while (true) {
      Latest<StreamSlice<Bytes>> calls = space.latest(log, newCalls(now));
      Optional<CachedState<S>> next = advanced(now, calls);
      if (next.isEmpty()) {
        return loaded(space);
      }
      now = next.get();
      if (now.position >= calls.value().tail()) {
        return now;
      }
    }
  }
}
