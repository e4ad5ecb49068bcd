package io.github.stablecut.internal.transaction;

import io.github.stablecut.Computation;
import io.github.stablecut.Values;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.question.NamedQuestion;
import io.github.stablecut.crdt.question.StreamQuestion;
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
 * A conditional write that depends on the result of users' code over a stream on another node. That
 * node executes the code outside all locks and returns only the answer. The write succeeds if the
 * stream has no new entries by then. Confined to its thread.
 *
 * @param <A> the answers of the code
 * @param <R> the function's result besides updates
 */
final class RemoteCall<A, R> {
  /** The maximum number of attempts under contention. */
  private static final int MAX_ATTEMPTS = 1_000;

  /**
   * The base of the random backoff, which is multiplied by the number of attempts up to a limit.
   */
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

  /** Creates the write if it depends on a call that the object's node executes. */
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

  /** Executes the write; returns empty, without writing, if hooks must see the updates. */
  Optional<R> execute() {
    PartitionAccess partition = store.partitions().of(query.target().id());
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      // Keeps the states that the write reads from being pruned meanwhile.
      ActiveSnapshots.Registration registration = store.partitions().begin();
      try {
        VectorClock snapshot = registration.snapshot();
        Attempt<R> outcome =
            attempt == 0
                ? attempt(partition, snapshot, snapshot, false)
                : attempt(partition, snapshot, partition.present(query.target().id()), true);
        if (outcome.isDone) {
          return outcome.result;
        }
      } finally {
        registration.end();
      }
      LockSupport.parkNanos(
          ThreadLocalRandom.current().nextLong(PAUSE_NANOS * Math.min(1 + attempt, MAX_PAUSES)));
    }
    throw new ConflictException(
        "others changed %s between the call and its write in all %,d attempts: retry later"
            .formatted(query.target(), MAX_ATTEMPTS));
  }

  /**
   * The outcome of an attempt.
   *
   * @param isDone whether no further attempt is needed
   */
  private record Attempt<R>(boolean isDone, Optional<R> result) {}

  /**
   * Makes one attempt.
   *
   * @param at the snapshot at which the code runs
   * @param isPresent whether the snapshot includes everything acknowledged before the call;
   *     otherwise only a successful write counts, and exceptions and empty results lead to another
   *     attempt
   */
  private Attempt<R> attempt(
      PartitionAccess partition, VectorClock registered, VectorClock at, boolean isPresent) {
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
      return new Attempt<>(false, Optional.empty());
    }
    Update[] updates = computed.updates().toArray(new Update[0]);
    if (updates.length == 0) {
      return new Attempt<>(isPresent, Optional.of(computed.result()));
    }
    if (store.hooks().concern(updates)) {
      return new Attempt<>(true, Optional.empty());
    }
    ObjectQuery<Long, Long> tail = ObjectQuery.of(key, new StreamQuestion.Tail());
    Limits limits = store.options().limits();
    ConditionalBatch batch =
        new ConditionalBatch(
            new Condition.Equality<>(tail, tail, answer.tail()),
            computed.updates(),
            limits.valueBytes(),
            limits.transactionBytes());
    return new Attempt<>(
        partition.execute(registered, batch).outcome().isWritten(), Optional.of(computed.result()));
  }
}
