package io.github.stablecut.internal.transaction;

import io.github.stablecut.Computation;
import io.github.stablecut.Values;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.NamedQuestion;
import io.github.stablecut.crdt.StreamQuestion;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.internal.partition.ConditionalBatch;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.StoreOptions.Limits;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * A write that depends on what users' code has made of a stream on another node. The code is
 * executed there, outside of all locks, and only its answer is sent; the write is made if the
 * stream has no more entries by then. Confined to its thread.
 *
 * @param <A> the answers of the code
 * @param <R> what the function makes beside updates
 */
final class RemoteCall<A, R> {
  /** The most attempts under contention. */
  private static final int MAX_ATTEMPTS = 1_000;

  /** Attempts wait for a random time up to this, times the number of attempts up to a bound. */
  private static final long PAUSE_NANOS = 100_000;

  private static final int MAX_PAUSES = 50;

  private final EmbeddedStore store;
  private final ObjectQuery<NamedQuestion.Answer<A>, Object> query;
  private final NamedQuestion<A> call;
  private final Function<Values, Computation<R>> function;

  private RemoteCall(
      EmbeddedStore store,
      ObjectQuery<NamedQuestion.Answer<A>, Object> query,
      NamedQuestion<A> call,
      Function<Values, Computation<R>> function) {
    this.store = store;
    this.query = query;
    this.call = call;
    this.function = function;
  }

  /** The write, if it depends on a call that the node of the object executes. */
  static <R> Optional<RemoteCall<?, R>> of(
      EmbeddedStore store,
      Collection<? extends Query<?>> queries,
      Function<Values, Computation<R>> function) {
    if (queries.size() != 1
        || !(queries.iterator().next() instanceof ObjectQuery<?, ?> query)
        || !(query.question() instanceof NamedQuestion<?> call)
        || !store.options().objectTypes().execute(call)
        || store.partitions().of(query.target().id()).local().isPresent()) {
      return Optional.empty();
    }
    return Optional.of(of(store, query, call, function));
  }

  @SuppressWarnings("unchecked") // the query's question is the call
  private static <A, R> RemoteCall<A, R> of(
      EmbeddedStore store,
      ObjectQuery<?, ?> query,
      NamedQuestion<A> call,
      Function<Values, Computation<R>> function) {
    return new RemoteCall<>(
        store, (ObjectQuery<NamedQuestion.Answer<A>, Object>) query, call, function);
  }

  /** Executes it; empty if hooks want to see the write, and nothing was written. */
  Optional<R> execute() {
    PartitionAccess partition = store.partitions().of(query.target().id());
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      // The states that the write is made from must not be pruned meanwhile.
      ActiveSnapshots.Registration claim = store.partitions().begin();
      try {
        VectorClock snapshot = claim.snapshot();
        Tried<R> tried =
            attempt == 0
                ? tryAt(partition, snapshot, snapshot, false)
                : tryAt(partition, snapshot, partition.present(query.target().id()), true);
        if (tried.isDone) {
          return tried.result;
        }
      } finally {
        claim.end();
      }
      LockSupport.parkNanos(
          ThreadLocalRandom.current().nextLong(PAUSE_NANOS * Math.min(1 + attempt, MAX_PAUSES)));
    }
    throw new ConflictException(
        "%s was changed by others %,d times between a call and its write: try again later"
            .formatted(query.target(), MAX_ATTEMPTS));
  }

  /**
   * An attempt.
   *
   * @param isDone whether it was the last one
   */
  private record Tried<R>(boolean isDone, Optional<R> result) {}

  /**
   * Tries it.
   *
   * @param at the snapshot that the code sees
   * @param isPresent whether the snapshot includes all that was acknowledged before the call;
   *     otherwise only a write counts, and nobody is told of an exception, or that there is nothing
   *     to write
   */
  private Tried<R> tryAt(
      PartitionAccess partition, VectorClock claimed, VectorClock at, boolean isPresent) {
    Key<?> key = query.target();
    NamedQuestion.Answer<A> answer = partition.ask(key.id(), key.type(), call, at);
    Values found = store.values(List.of(query), at, asked -> query.decode(answer));
    Computation<R> computed;
    try {
      computed = Evaluation.of(store, function, found);
    } catch (RuntimeException e) {
      if (isPresent) {
        throw e;
      }
      return new Tried<>(false, Optional.empty());
    }
    Update[] updates = computed.updates().toArray(new Update[0]);
    if (updates.length == 0) {
      return new Tried<>(isPresent, Optional.of(computed.result()));
    }
    if (store.hooks().concern(updates)) {
      return new Tried<>(true, Optional.empty());
    }
    ObjectQuery<Long, Long> tail = ObjectQuery.of(key, new StreamQuestion.Tail());
    Limits limits = store.options().limits();
    ConditionalBatch batch =
        new ConditionalBatch(
            new Condition.Equality<>(tail, tail, answer.tail()),
            computed.updates(),
            limits.valueBytes(),
            limits.transactionBytes());
    return new Tried<>(
        partition.execute(claimed, batch).outcome().isWritten(), Optional.of(computed.result()));
  }
}
