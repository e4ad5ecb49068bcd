package io.github.stablecut.internal.transaction;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Computation;
import io.github.stablecut.ConditionalResult;
import io.github.stablecut.Transaction;
import io.github.stablecut.Values;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * A conditional write to several partitions: a transaction that certifies its reads and is retried
 * after a conflict. It reads a snapshot that includes everything that any node has acknowledged for
 * these objects, and commits only if nothing that it read has changed. Thread-safe.
 *
 * @param <R> the function's result besides updates
 */
record CertifiedUpdate<R>(
    EmbeddedStore store,
    Collection<? extends Query<?>> queries,
    Function<? super Values, Computation<R>> function) {
  private static final long PAUSE_NANOS = 100_000;

  ConditionalCalls.CallResult<R> execute() {
    return Evaluation.retryOnConflict(queries, PAUSE_NANOS, this::tryUpdate);
  }

  private Optional<ConditionalCalls.CallResult<R>> tryUpdate() {
    try (Transaction transaction = store.beginAt(present(), Certification.READS_WRITES)) {
      Values found = transaction.read(queries);
      Computation<R> computed = Evaluation.of(store, function, found);
      return computed.updates().isEmpty()
          ? Optional.of(unwritten(computed, found))
          : commit(transaction, computed).map(token -> made(computed, true, found, token));
    }
  }

  /**
   * Returns the result of a call that writes nothing. The snapshot may be later than the store's
   * newest commit, which includes everything that was read; a token is never later than that
   * commit, so the result carries the earlier of the two.
   */
  private ConditionalCalls.CallResult<R> unwritten(Computation<R> computed, Values found) {
    CausalToken reached = store.token(store.partitions().reached(found.token().vector()));
    Map<Query<?>, Object> answers = new HashMap<>();
    for (Query<?> query : found.queries()) {
      answers.put(query, found.get(query));
    }
    return made(computed, false, new Values(answers, reached), reached);
  }

  /** Returns empty after a conflict with another transaction. */
  private Optional<CausalToken> commit(Transaction transaction, Computation<R> computed) {
    transaction.update(computed.updates().toArray(new Update[0]));
    try {
      return Optional.of(transaction.commit());
    } catch (ConflictException e) {
      return Optional.empty();
    }
  }

  private VectorClock present() {
    VectorClock present = VectorClock.ZERO;
    for (Query<?> query : queries) {
      present = present.join(store.present(query.target()));
    }
    return present;
  }

  private ConditionalCalls.CallResult<R> made(
      Computation<R> computed, boolean isWritten, Values found, CausalToken token) {
    return new ConditionalCalls.CallResult<>(
        computed.result(), new ConditionalResult(isWritten, found, token));
  }
}
