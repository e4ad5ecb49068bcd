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
   * @param position how many calls made it
   */
  private record Known<S>(S state, long position) {}

  @GuardedBy("this")
  private Optional<Known<S>> known = Optional.empty();

  LocalState(StreamKey<Bytes> log, ObjectType<S> type) {
    this.log = log;
    this.type = type;
  }

  /** The newest state: executes the calls that are new. */
  synchronized S state(ObjectSpace space) {
    Known<S> next = known.isEmpty() ? loaded(space) : caughtUp(space, known.get());
    known = Optional.of(next);
    return next.state;
  }

  private Known<S> loaded(ObjectSpace space) {
    StreamValue value = space.read(log).value();
    return new Known<>(value.fold(type.fold()), value.tail());
  }

  private Known<S> caughtUp(ObjectSpace space, Known<S> from) {
    Known<S> now = from;
    while (true) {
      StreamSlice<Bytes> slice =
          space.read(log.slice(now.position, now.position + Question.MAX_ITEMS));
      if (slice.first() > now.position) {
        return loaded(space); // calls that it lacks are summed up
      }
      S state = now.state;
      for (Bytes call : slice.entries()) {
        state = type.fold().next(state, call);
      }
      now = new Known<>(state, now.position + slice.entries().size());
      if (now.position >= slice.tail()) {
        return now;
      }
    }
  }
}
