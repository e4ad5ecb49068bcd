package io.github.stablecut.object;

import io.github.stablecut.Computation;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.Values;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.StreamValue;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.NotOnThisNodeException;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.StreamKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.object.Operation.Outcome;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.TransactionOptions;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/** Objects of a store. Thread-safe. */
final class StoreSpace implements ObjectSpace {
  private static final TransactionOptions SERIALISABLE =
      TransactionOptions.defaults().certify(Certification.READS_WRITES);

  /** The most attempts of a transaction under contention. */
  private static final int MAX_ATTEMPTS = 1_000;

  /** Attempts wait for a random time up to this, times the number of attempts up to a bound. */
  private static final long PAUSE_NANOS = 100_000;

  private static final int MAX_PAUSES = 50;

  /** One in so many blind calls looks whether there is something to sum up. */
  private static final int BLIND_CALLS = 64;

  private final Store store;

  StoreSpace(Store store) {
    this.store = store;
  }

  /**
   * Whether no call can still come that is before those that are here: from another data centre it
   * could, and a state that speaks for all calls before it would not know it.
   */
  boolean isAlone() {
    try {
      return store.dataCentres().all().size() == 1;
    } catch (NotOnThisNodeException e) {
      return true; // a store on several nodes is a data centre by itself
    }
  }

  @Override
  public <V> V read(Query<V> query) {
    return store.read(query);
  }

  @Override
  public Values read(Collection<? extends Query<?>> queries) {
    return store.read(queries);
  }

  @Override
  public void update(Update... updates) {
    store.update(updates);
  }

  <S> void mutate(StreamKey<Bytes> log, Bytes entry, Compaction<S> compaction, ObjectType<S> type) {
    if (ThreadLocalRandom.current().nextInt(BLIND_CALLS) == 0
        && compaction.isDue(store.read(log).value())) {
      boolean unused = exchange(log, entry, compaction, type, state -> new Outcome<>(state, true));
    } else {
      store.update(log.append(entry));
    }
  }

  /**
   * Logs a call whose result depends on the state.
   *
   * @param call makes the result; what state it makes is of no interest
   */
  <S, R> R exchange(
      StreamKey<Bytes> log,
      Bytes entry,
      Compaction<S> compaction,
      ObjectType<S> type,
      Function<? super S, Outcome<S, R>> call) {
    Function<Values, Computation<R>> function =
        found -> {
          StreamValue value = found.get(log).value();
          S state = value.fold(type.fold());
          R result = call.apply(state).result();
          return Computation.of(
              result, compaction.updates(value, state, log.append(entry), this::isAlone));
        };
    try {
      return store.compute(List.of(log), function);
    } catch (LimitExceededException e) {
      compaction.stop(); // nothing was changed; it may have been the state that was too large
      return store.compute(List.of(log), function);
    }
  }

  @Override
  public <R> R transact(Function<? super ObjectSpace, ? extends R> body) {
    for (int attempt = 1; ; attempt++) {
      try (Transaction transaction = store.begin(SERIALISABLE)) {
        R result = body.apply(new TransactionSpace(transaction, this::isAlone));
        transaction.commit();
        return result;
      } catch (ConflictException e) {
        if (attempt == MAX_ATTEMPTS) {
          throw e;
        }
      }
      LockSupport.parkNanos(
          ThreadLocalRandom.current().nextLong(PAUSE_NANOS * Math.min(attempt, MAX_PAUSES)));
    }
  }

  @Override
  public <R> R snapshot(Function<? super ObjectSpace, ? extends R> body) {
    return body.apply(new SnapshotSpace(store.snapshot()));
  }
}
