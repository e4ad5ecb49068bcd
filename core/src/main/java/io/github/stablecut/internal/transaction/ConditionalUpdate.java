package io.github.stablecut.internal.transaction;

import io.github.stablecut.Computation;
import io.github.stablecut.ConditionalResult;
import io.github.stablecut.Values;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.ConditionalWrites;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A conditional write to one partition. Confined to its thread.
 *
 * @param <R> the function's result besides updates
 */
final class ConditionalUpdate<R> {
  private final EmbeddedStore store;
  private final Collection<? extends Query<?>> queries;
  private final Function<? super Values, Computation<R>> function;

  /** The values at the last evaluation of the function, and its result. */
  private @Nullable Values found;

  private @Nullable Computation<R> made;

  /** The written updates that post-commit hooks receive. */
  private List<Update> hookUpdates = List.of();

  /**
   * @param function computes the updates from the values; none if there is nothing to write
   */
  ConditionalUpdate(
      EmbeddedStore store,
      Collection<? extends Query<?>> queries,
      Function<? super Values, Computation<R>> function) {
    this.store = store;
    this.queries = queries;
    this.function = function;
  }

  /**
   * Executes the write.
   *
   * @param ids the objects that are read or updated, all on the partition
   */
  ConditionalCalls.CallResult<R> execute(PartitionAccess partition, Set<Bytes> ids) {
    // Keeps the states that the write reads from being pruned meanwhile.
    ActiveSnapshots.Registration registration = store.partitions().begin();
    ConditionalWrites.Outcome outcome;
    try {
      outcome = partition.writeIf(registration.snapshot(), ids, this::tryUpdate);
    } finally {
      registration.end();
    }
    Values shown = Objects.requireNonNull(found, "the function was never evaluated");
    Computation<R> computed = Objects.requireNonNull(made, "the function was never evaluated");
    if (outcome.isWritten() && !hookUpdates.isEmpty()) {
      store.hooks().afterCommit(new EmbeddedSnapshot(store, outcome.at()), hookUpdates);
    }
    return new ConditionalCalls.CallResult<>(
        computed.result(),
        new ConditionalResult(outcome.isWritten(), shown, store.token(outcome.at())));
  }

  private Optional<CommitRequest> tryUpdate(ConditionalWrites.Latest latest) {
    ObjectSource source = new LatestSource(latest);
    Values now = store.values(queries, latest.at(), source::read);
    Computation<R> computed = Evaluation.of(store, function, now);
    found = now;
    made = computed;
    if (computed.updates().isEmpty()) {
      return Optional.empty();
    }
    Update[] updates = computed.updates().toArray(new Update[0]);
    WriteBuffer buffer = new WriteBuffer(store, source, Certification.NONE);
    buffer.execute(store.hooks().beforeCommit(updates, new EmbeddedSnapshot(store, latest.at())));
    hookUpdates = buffer.hookUpdates();
    CommitRequest.Part part = buffer.toParts().values().iterator().next();
    return Optional.of(CommitRequest.of(part, TransactionMetadata.none()));
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
      return version == null ? key.type().initial() : version.stateAs(key.type(), key.id());
    }

    @Override
    public Object stateFor(Key<?> key) {
      return state(key);
    }

    @Override
    public boolean hasSeveralTypes(Key<?> key) {
      Version version = latest.versions().get(key.id());
      return version != null && version.hasSeveral(key.type());
    }

    @Override
    public <A> A ask(ObjectQuery<A, ?> query) {
      return query.answer(state(query.target()), snapshot());
    }
  }
}
