package io.github.stablecut.internal.transaction;

import io.github.stablecut.ConditionalResult;
import io.github.stablecut.Values;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.NestedCallException;
import io.github.stablecut.error.SeveralPartitionsException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.partition.CommitRequest;
import io.github.stablecut.internal.partition.ConditionalWrites;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.record.TransactionFacts;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One call of {@link io.github.stablecut.Store#compareAndUpdate}. Confined to its thread. */
final class ConditionalUpdate {
  /** The store whose condition the thread is evaluating. */
  private static final ThreadLocal<@Nullable EmbeddedStore> ASKING = new ThreadLocal<>();

  private final EmbeddedStore store;
  private final Collection<? extends Key<?>> keys;
  private final Predicate<? super Values> condition;
  private final Update[] updates;

  /** The values at the last evaluation of the condition. */
  private @Nullable Values found;

  /** The written operations that post-commit hooks receive. */
  private List<Update> told = List.of();

  ConditionalUpdate(
      EmbeddedStore store,
      Collection<? extends Key<?>> keys,
      Predicate<? super Values> condition,
      Update... updates) {
    if (updates.length == 0) {
      throw new IllegalArgumentException("a conditional write without updates: use readLatest");
    }
    this.store = store;
    this.keys = keys;
    this.condition = condition;
    this.updates = updates;
  }

  ConditionalResult execute() {
    Map<Bytes, Key<?>> all = new LinkedHashMap<>();
    keys.forEach(key -> all.put(key.id(), key));
    for (Update update : updates) {
      all.put(update.key().id(), update.key());
    }
    PartitionAccess partition = partitionOf(all);
    // The states that the write is made from must not be pruned meanwhile.
    ActiveSnapshots.Registration claim = store.partitions().begin();
    ConditionalWrites.Outcome outcome;
    try {
      outcome = partition.writeIf(claim.snapshot(), all.keySet(), this::tryUpdate);
    } finally {
      claim.end();
    }
    Values asked = found;
    if (asked == null) {
      throw new IllegalStateException("the condition was never evaluated");
    }
    if (outcome.isWritten() && !told.isEmpty()) {
      store.hooks().afterCommit(new EmbeddedSnapshot(store, outcome.at()), told);
    }
    return new ConditionalResult(outcome.isWritten(), asked, store.token(outcome.at()));
  }

  private PartitionAccess partitionOf(Map<Bytes, Key<?>> all) {
    Map<PartitionAccess, Key<?>> partitions = new LinkedHashMap<>();
    all.forEach((id, key) -> partitions.putIfAbsent(store.partitions().of(id), key));
    if (partitions.size() > 1) {
      throw new SeveralPartitionsException(
          "a conditional write has one partition, but these keys are on different ones: %s; give their keys the same part in braces, or use a certified transaction"
              .formatted(partitions.values()));
    }
    return partitions.keySet().iterator().next();
  }

  private Optional<CommitRequest> tryUpdate(ConditionalWrites.Latest latest) {
    ObjectSource source = new LatestSource(latest);
    Values now = store.values(keys, latest.at(), source::read);
    found = now;
    if (!isMet(now)) {
      return Optional.empty();
    }
    WriteBuffer buffer = new WriteBuffer(store, source, Certification.NONE);
    buffer.execute(store.hooks().beforeCommit(updates, new EmbeddedSnapshot(store, latest.at())));
    told = buffer.told();
    CommitRequest.Part part = buffer.toParts().values().iterator().next();
    return Optional.of(CommitRequest.of(part, TransactionFacts.NONE));
  }

  private boolean isMet(Values now) {
    EmbeddedStore other = ASKING.get();
    ASKING.set(store);
    try {
      return condition.test(now);
    } finally {
      // A condition of one store may write to another store, which may evaluate one too.
      ASKING.set(other);
    }
  }

  /**
   * Refuses a call from a condition: it could wait for threads that wait for the condition.
   *
   * @throws NestedCallException if this thread is evaluating a condition
   */
  static void checkNotAsking(EmbeddedStore store) {
    if (ASKING.get() == store) {
      throw new NestedCallException(
          "the condition of a conditional write has called the store, which it must not do: decide by the values that it is given, and call the store before or after");
    }
  }

  /** Reads the latest versions of the objects. */
  private record LatestSource(ConditionalWrites.Latest latest) implements ObjectSource {
    @Override
    public VectorClock snapshot() {
      return latest.at();
    }

    @Override
    public Object state(Key<?> key) {
      Version version = latest.versions().get(key.id());
      if (version == null) {
        return key.type().initial();
      }
      Key.checkType(key.id(), key.type(), version.type());
      return version.state();
    }

    @Override
    public <A> A ask(ObjectQuery<A, ?> query) {
      return query.answer(state(query.target()), snapshot());
    }
  }
}
