package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Computation;
import io.github.stablecut.ConditionalResult;
import io.github.stablecut.Transaction;
import io.github.stablecut.Values;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.internal.transaction.Evaluation;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.TransactionOptions;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A conditional write whose condition is a user's function, which runs in the client: a transaction
 * at the objects' present with certified reads, retried after a conflict. Thread-safe.
 *
 * @param <R> the function's result besides updates
 */
record RemoteConditional<R>(
    RemoteStore store, List<Query<?>> queries, Function<Values, Computation<R>> function) {
  private static final long PAUSE_NANOS = 1_000_000;

  /** The function's result and that of the write. */
  record FunctionResult<R>(R made, ConditionalResult result) {}

  FunctionResult<R> execute() {
    return Evaluation.retryOnConflict(queries, PAUSE_NANOS, this::tryUpdate);
  }

  private Optional<FunctionResult<R>> tryUpdate() {
    Key<?>[] objects = queries.stream().map(Query::target).toArray(Key<?>[]::new);
    TransactionOptions options =
        TransactionOptions.defaults()
            .after(store.latest(objects).token())
            .certify(Certification.READS_WRITES);
    try (Transaction transaction = store.begin(options)) {
      Values found = transaction.read(queries);
      Computation<R> computed = Evaluation.of(store, function, found);
      if (computed.updates().isEmpty()) {
        return Optional.of(
            new FunctionResult<>(
                computed.result(), new ConditionalResult(false, found, found.token())));
      }
      transaction.update(computed.updates().toArray(Update[]::new));
      return commit(transaction)
          .map(
              token ->
                  new FunctionResult<>(
                      computed.result(), new ConditionalResult(true, found, token)));
    }
  }

  /** Commits; empty after a conflict with another transaction. */
  private static Optional<CausalToken> commit(Transaction transaction) {
    try {
      return Optional.of(transaction.commit());
    } catch (ConflictException e) {
      return Optional.empty();
    }
  }
}
