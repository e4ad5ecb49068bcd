package io.github.stablecut.internal.transaction;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Transaction;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.thread.HeapPermits;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import java.util.Optional;

/**
 * A conditional write of a session: a transaction that reads the latest state and certifies what
 * the condition compares. Immutable.
 */
record SessionWrite(EmbeddedStore store, RequestId request, Condition condition) {
  private static final long PAUSE_NANOS = 100_000;

  /**
   * Executes the write.
   *
   * @return empty if the condition does not hold
   */
  Optional<CausalToken> execute(Update... updates) {
    store.checkCall();
    HeapPermits.Permits permits = WriteMemoryLimit.acquire(store.hooks(), updates);
    try {
      return Evaluation.retryOnConflict(
          condition.tests().map(Condition.Test::original).toList(),
          PAUSE_NANOS,
          () -> tryUpdate(updates));
    } finally {
      permits.close();
    }
  }

  /** Returns empty after a conflict with another transaction. */
  private Optional<Optional<CausalToken>> tryUpdate(Update... updates) {
    try (Transaction transaction =
        store.beginAt(present(), Certification.READS_WRITES, Optional.of(request))) {
      if (!condition.isMet(reading(transaction))) {
        return Optional.of(Optional.empty());
      }
      transaction.update(updates);
      return Optional.of(Optional.of(transaction.commit()));
    } catch (ConflictException e) {
      return Optional.empty();
    }
  }

  private VectorClock present() {
    return condition
        .tests()
        .map(test -> store.present(test.query().target()))
        .reduce(VectorClock.ZERO, VectorClock::join);
  }

  private static Condition.Answers reading(Transaction transaction) {
    return new Condition.Answers() {
      @Override
      public <A> A of(ObjectQuery<A, ?> query) {
        return transaction.read(query.undecoded());
      }
    };
  }
}
