package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.Computation;
import io.github.stablecut.Values;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.crdt.question.NamedQuestion;
import io.github.stablecut.crdt.question.StreamQuestion;
import io.github.stablecut.internal.transaction.Evaluation;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.StreamKey;
import io.github.stablecut.key.StreamSlice;
import io.github.stablecut.key.StreamView;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A conditional write that depends on a user's function of one stream, such as the log of an
 * object. It reads, and then writes exactly once on condition that the stream has no more entries,
 * and retries after a conflict. Thread-safe.
 *
 * @param <R> the function's result besides updates
 */
record RemoteStreamWrite<R>(
    RemoteStore store, Query<?> query, Function<Values, Computation<R>> function) {
  private static final long PAUSE_NANOS = 1_000_000;

  /** The only query, if its answer includes the position after the stream's last entry. */
  static Optional<Query<?>> only(Collection<? extends Query<?>> queries) {
    if (queries.size() != 1) {
      return Optional.empty();
    }
    Query<?> query = queries.iterator().next();
    boolean hasTail =
        query instanceof ObjectQuery<?, ?> question
            ? question.question() instanceof NamedQuestion
                || question.question() instanceof StreamQuestion.Tail
                || question.question() instanceof StreamQuestion.Entries
            : query instanceof StreamKey<?> key && key.valueInMap().isEmpty();
    return hasTail ? Optional.of(query) : Optional.empty();
  }

  R execute() {
    return Evaluation.retryOnConflict(List.of(query), PAUSE_NANOS, this::tryWrite).result();
  }

  private Optional<Computation<R>> tryWrite() {
    Values found = store.readLatest(List.of(query));
    Computation<R> computed = Evaluation.of(store, function, found);
    if (computed.updates().isEmpty()) {
      return Optional.of(computed);
    }
    ObjectQuery<Long, Long> tail = ObjectQuery.of(query.target(), new StreamQuestion.Tail());
    Condition isUnchanged = new Condition.Equality<>(tail, tail, tail(found.get(query)));
    Answer answer = store.writeOnce(Optional.of(isUnchanged), computed.updates());
    return RemoteValues.written(answer).map(token -> computed);
  }

  private static long tail(Object answer) {
    if (answer instanceof NamedQuestion.Answer<?> called) {
      return called.tail();
    } else if (answer instanceof StreamSlice<?> slice) {
      return slice.tail();
    } else if (answer instanceof StreamQuestion.Slice part) {
      return part.tail();
    } else if (answer instanceof Long tail) {
      return tail;
    }
    return ((StreamView<?>) answer).value().tail();
  }
}
