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
 * A write that depends on what is found, over several partitions: a transaction whose reads are
 * certified, which is executed again if another one was faster. It reads a snapshot that contains
 * all that any node has acknowledged of the objects before, and commits only if what it read is
 * still so. Thread-safe.
 *
 * @param <R> what the function makes beside updates
 */
record CertifiedUpdate<R>(
    EmbeddedStore store,
    Collection<? extends Query<?>> queries,
    Function<? super Values, Computation<R>> function) {
  private static final long PAUSE_NANOS = 100_000;

  ConditionalCalls.Made<R> execute() {
    return Evaluation.untilWon(queries, PAUSE_NANOS, this::tryUpdate);
  }

  private Optional<ConditionalCalls.Made<R>> tryUpdate() {
    try (Transaction transaction = store.beginAt(present(), Certification.READS_WRITES)) {
      Values found = transaction.read(queries);
      Computation<R> computed = Evaluation.of(store, function, found);
      return computed.updates().isEmpty()
          ? Optional.of(inVain(computed, found))
          : commit(transaction, computed).map(token -> made(computed, true, found, token));
    }
  }

  /**
   * Nothing is to be written. The present is perhaps later than the store's newest commit, which
   * has everything that was read, and is told instead: a token is no later than that.
   */
  private ConditionalCalls.Made<R> inVain(Computation<R> computed, Values found) {
    CausalToken reached = store.token(store.partitions().reached(found.token().vector()));
    Map<Query<?>, Object> answers = new HashMap<>();
    for (Query<?> query : found.queries()) {
      answers.put(query, found.get(query));
    }
    return made(computed, false, new Values(answers, reached), reached);
  }

  /** Empty if another transaction was faster. */
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

  private ConditionalCalls.Made<R> made(
      Computation<R> computed, boolean isWritten, Values found, CausalToken token) {
    return new ConditionalCalls.Made<>(
        computed.result(), new ConditionalResult(isWritten, found, token));
  }
}
