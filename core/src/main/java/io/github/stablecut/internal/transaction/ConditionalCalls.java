package io.github.stablecut.internal.transaction;

import io.github.stablecut.Computation;
import io.github.stablecut.ConditionalResult;
import io.github.stablecut.Values;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.ClosedException;
import io.github.stablecut.internal.partition.ConditionalBatch;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.thread.HeapPermits;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.StoreOptions.Limits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The store's conditional writes. If one partition has all objects, it executes them as a
 * conditional write ({@link ConditionalUpdate}); otherwise they are certified transactions ({@link
 * CertifiedUpdate}). Thread-safe.
 */
final class ConditionalCalls {
  private ConditionalCalls() {}

  /**
   * The result of a call.
   *
   * @param computed the function's result besides updates
   * @param result its {@link ConditionalResult#isWritten} is false if there was nothing to write
   */
  record CallResult<R>(R computed, ConditionalResult result) {}

  /** Makes a call after checking that the store is open and the caller may write. */
  static <T> T checked(EmbeddedStore store, Supplier<T> call) {
    store.checkCall();
    try {
      return call.get();
    } catch (ClosedException e) {
      throw EmbeddedStore.closed();
    }
  }

  /** {@link io.github.stablecut.Store#compareAndUpdate(Collection, Predicate, Update...)}. */
  static ConditionalResult compareAndUpdate(
      EmbeddedStore store,
      Collection<? extends Query<?>> queries,
      Predicate<? super Values> condition,
      Update... updates) {
    checkUpdates(updates);
    List<Update> all = List.of(updates);
    Set<Bytes> ids = ids(queries);
    all.forEach(update -> ids.add(update.key().id()));
    return execute(
            store,
            queries,
            ids,
            found -> condition.test(found) ? Computation.of(true, updates) : Computation.of(false))
        .result;
  }

  /** {@link io.github.stablecut.Store#compareAndUpdate(Condition, Update...)}. */
  static ConditionalResult compareAndUpdate(
      EmbeddedStore store, Condition condition, Update... updates) {
    checkUpdates(updates);
    Limits limits = store.options().limits();
    ConditionalBatch batch =
        new ConditionalBatch(
            condition, Arrays.asList(updates), limits.valueBytes(), limits.transactionBytes());
    Optional<PartitionAccess> partition = singlePartition(store, batch.ids());
    if (partition.isPresent() && !store.hooks().concern(updates)) {
      HeapPermits.Permits permits = WriteMemoryLimit.acquire(store.hooks(), updates);
      try {
        return execute(store, partition.get(), batch);
      } finally {
        permits.close();
      }
    }
    List<ObjectQuery<?, ?>> queries = new ArrayList<>();
    batch.queries().forEach(query -> queries.add(query.undecoded()));
    ConditionalResult result =
        compareAndUpdate(
            store,
            queries,
            found ->
                condition.isMet(
                    new Condition.Answers() {
                      @Override
                      public <A> A of(ObjectQuery<A, ?> query) {
                        return found.get(query.undecoded());
                      }
                    }),
            updates);
    Map<ObjectQuery<?, ?>, Object> answers = new HashMap<>();
    queries.forEach(query -> answers.put(query, result.found().get(query)));
    return new ConditionalResult(
        result.isWritten(),
        new Values(decoded(condition, answers), result.found().token()),
        result.token());
  }

  private static void checkUpdates(Update... updates) {
    if (updates.length == 0) {
      throw new IllegalArgumentException("a conditional write without updates: use readLatest");
    }
  }

  private static ConditionalResult execute(
      EmbeddedStore store, PartitionAccess partition, ConditionalBatch batch) {
    ConditionalBatch.Result result;
    // Keeps the states that the write reads from being pruned meanwhile.
    ActiveSnapshots.Registration registration = store.partitions().begin();
    try {
      result = partition.execute(registration.snapshot(), batch);
    } finally {
      registration.end();
    }
    Map<ObjectQuery<?, ?>, Object> answers = new HashMap<>();
    List<ObjectQuery<?, ?>> queries = batch.queries();
    for (int i = 0; i < queries.size(); i++) {
      answers.put(queries.get(i), result.answers().get(i));
    }
    return new ConditionalResult(
        result.outcome().isWritten(),
        new Values(decoded(batch.condition(), answers), store.token(result.outcome().at())),
        store.token(result.outcome().at()));
  }

  /** Decodes the answers to the condition's original queries. */
  private static Map<Query<?>, Object> decoded(
      Condition condition, Map<ObjectQuery<?, ?>, Object> answers) {
    Map<Query<?>, Object> decoded = new HashMap<>();
    condition.tests().forEach(test -> decoded.put(test.original(), decode(test.query(), answers)));
    return decoded;
  }

  @SuppressWarnings("unchecked") // the answer is the query's own
  private static <A, V> V decode(ObjectQuery<A, V> query, Map<ObjectQuery<?, ?>, Object> answers) {
    return query.decode((A) Objects.requireNonNull(answers.get(query)));
  }

  /** {@link io.github.stablecut.Store#compute}. */
  static <R> R compute(
      EmbeddedStore store,
      Collection<? extends Query<?>> queries,
      Function<? super Values, Computation<R>> function) {
    Function<Values, Computation<R>> checked = Evaluation.restrictedToQueried(queries, function);
    return RemoteCall.of(store, queries, checked)
        .flatMap(RemoteCall::execute)
        .orElseGet(() -> execute(store, queries, ids(queries), checked).computed);
  }

  private static Set<Bytes> ids(Collection<? extends Query<?>> queries) {
    Set<Bytes> ids = new LinkedHashSet<>();
    queries.forEach(query -> ids.add(query.target().id()));
    return ids;
  }

  private static <R> CallResult<R> execute(
      EmbeddedStore store,
      Collection<? extends Query<?>> queries,
      Set<Bytes> ids,
      Function<Values, Computation<R>> function) {
    Optional<PartitionAccess> partition = singlePartition(store, ids);
    return partition.isPresent()
        ? new ConditionalUpdate<>(store, queries, function).execute(partition.get(), ids)
        : new CertifiedUpdate<>(store, queries, function).execute();
  }

  /** Returns the partition that has all these objects; empty if they are on several. */
  private static Optional<PartitionAccess> singlePartition(EmbeddedStore store, Set<Bytes> ids) {
    Set<PartitionAccess> partitions = new LinkedHashSet<>();
    ids.forEach(id -> partitions.add(store.partitions().of(id)));
    return partitions.size() == 1 ? Optional.of(partitions.iterator().next()) : Optional.empty();
  }
}
