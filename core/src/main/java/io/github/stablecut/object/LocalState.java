package io.github.stablecut.object;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Question;
import io.github.stablecut.crdt.StreamValue;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.StreamKey;
import io.github.stablecut.key.StreamSlice;
import io.github.stablecut.object.StoreSpace.Latest;
import java.util.Optional;

/** The state of an object in a handle of it, with {@link View#LOCAL}. Thread-safe. */
final class LocalState<S> {
  private final StreamKey<Bytes> log;
  private final ObjectType<S> type;

  /**
   * A state.
   *
   * @param space where
   * @param position how many calls made it
   * @param isFinal whether no call can come to be before these
   */
  record Known<S>(StoreSpace space, LoadedState<S> loaded, long position, boolean isFinal) {
    S state() {
      return loaded.state();
    }
  }

  @GuardedBy("this")
  private Optional<Known<S>> known = Optional.empty();

  LocalState(StreamKey<Bytes> log, ObjectType<S> type) {
    this.log = log;
    this.type = type;
  }

  /**
   * The newest state: executes the calls that are new. Those of other data centres may come to be
   * before those that are here, so as long as there are any, nothing is kept.
   */
  synchronized S state(StoreSpace space) {
    Optional<Known<S>> from = known(space);
    known = Optional.empty();
    Known<S> next = from.isEmpty() ? loaded(space) : caughtUp(space, from.get());
    keep(next);
    return next.state();
  }

  /** The state in memory, if it is the one after so many calls. */
  synchronized Optional<S> stateAt(long position) {
    return known.filter(state -> state.position == position).map(Known::state);
  }

  /** The state in memory, or a newer one if there is none. */
  synchronized Known<S> knownOrLoaded(StoreSpace space) {
    Known<S> found = known(space).orElseGet(() -> loaded(space));
    keep(found);
    return found;
  }

  private synchronized Optional<Known<S>> known(StoreSpace space) {
    return known.filter(before -> before.space.isOf(space));
  }

  /** Keeps a state unless a newer one is in memory. */
  synchronized void keep(Known<S> next) {
    if (next.isFinal && known(next.space).filter(now -> now.position > next.position).isEmpty()) {
      known = Optional.of(next);
    }
  }

  /** Lets go of the state in memory. */
  synchronized void forget() {
    known = Optional.empty();
  }

  private Known<S> loaded(StoreSpace space) {
    Latest<StreamValue> found = space.latest(log, log).map(view -> view.value());
    StreamValue value = found.value();
    return new Known<>(space, value.fold(type.fold()), value.tail(), found.isFinal());
  }

  /** The query for the calls that are new to a state. */
  Query<StreamSlice<Bytes>> newCalls(Known<S> from) {
    return log.slice(from.position, from.position + Question.MAX_ITEMS);
  }

  /**
   * A state with some of the calls that are new.
   *
   * @return empty if calls that it lacks are summed up, or it may have others than the log
   */
  Optional<Known<S>> advanced(Known<S> from, Latest<StreamSlice<Bytes>> calls) {
    StreamSlice<Bytes> slice = calls.value();
    if (!calls.isFinal() || slice.first() > from.position || slice.tail() < from.position) {
      return Optional.empty();
    }
    LoadedState<S> made = from.loaded;
    for (Bytes call : slice.entries()) {
      made = type.fold().next(made, call);
    }
    return Optional.of(new Known<>(from.space, made, from.position + slice.entries().size(), true));
  }

  private Known<S> caughtUp(StoreSpace space, Known<S> from) {
    Known<S> now = from;
    while (true) {
      Latest<StreamSlice<Bytes>> calls = space.latest(log, newCalls(now));
      Optional<Known<S>> next = advanced(now, calls);
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
