package io.github.stablecut.object;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Question;
import io.github.stablecut.crdt.StreamValue;
import io.github.stablecut.key.StreamKey;
import io.github.stablecut.key.StreamSlice;
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
   */
  private record Known<S>(StoreSpace space, Loaded<S> loaded, long position) {}

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
    Optional<Known<S>> from = known.filter(before -> before.space.isOf(space));
    known = Optional.empty();
    if (!space.isAlone()) {
      return type.state(space.readLatest(log, log).value());
    }
    Known<S> next = from.isEmpty() ? loaded(space) : caughtUp(space, from.get());
    known = Optional.of(next);
    return next.loaded.state();
  }

  /** The state in memory, if it is the one after so many calls. */
  synchronized Optional<S> stateAt(long position) {
    return known.filter(state -> state.position == position).map(state -> state.loaded.state());
  }

  private Known<S> loaded(StoreSpace space) {
    StreamValue value = space.readLatest(log, log).value();
    return new Known<>(space, value.fold(type.fold()), value.tail());
  }

  private Known<S> caughtUp(StoreSpace space, Known<S> from) {
    Known<S> now = from;
    while (true) {
      StreamSlice<Bytes> slice =
          space.readLatest(log, log.slice(now.position, now.position + Question.MAX_ITEMS));
      if (slice.first() > now.position || slice.tail() < now.position) {
        return loaded(space); // calls that it lacks are summed up, or it has some that are gone
      }
      Loaded<S> made = now.loaded;
      for (Bytes call : slice.entries()) {
        made = type.fold().next(made, call);
      }
      now = new Known<>(space, made, now.position + slice.entries().size());
      if (now.position >= slice.tail()) {
        return now;
      }
    }
  }
}
