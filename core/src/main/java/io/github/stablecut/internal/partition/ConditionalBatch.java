package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.ConditionalWrites;
import io.github.stablecut.internal.partition.commit.Footprints;
import io.github.stablecut.internal.partition.commit.KeySizeLimit;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Update;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A conditional write as data: a condition, and updates of objects on one partition. The process
 * that owns the partition executes it. Immutable.
 *
 * @param condition the condition
 * @param updates executed in order, each seeing the earlier ones; at least one
 * @param valueBytes the maximum size of an effect
 * @param transactionBytes the maximum size of all effects
 */
public record ConditionalBatch(
    Condition condition, List<Update> updates, long valueBytes, long transactionBytes) {
  /** Copies the list. */
  public ConditionalBatch {
    updates = List.copyOf(updates);
  }

  /**
   * The result.
   *
   * @param answers to {@link #queries}, in their order, at the last evaluation of the condition
   */
  public record Result(ConditionalWrites.Outcome outcome, List<Object> answers) {
    /** Copies the list. */
    public Result {
      answers = List.copyOf(answers);
    }
  }

  /** The distinct queries of the condition. */
  public List<ObjectQuery<?, ?>> queries() {
    return condition.tests().<ObjectQuery<?, ?>>map(Condition.Test::query).distinct().toList();
  }

  /** The ids of all objects in the condition and the updates. */
  public Set<Bytes> ids() {
    Set<Bytes> ids = new LinkedHashSet<>();
    queries().forEach(query -> ids.add(query.target().id()));
    updates.forEach(update -> ids.add(update.key().id()));
    return ids;
  }

  /**
   * Executes it on a partition of this process.
   *
   * @param claimed a snapshot that the caller has registered as active
   */
  Result executeOn(Partition partition, VectorClock claimed) {
    List<Object> answers = new ArrayList<>();
    ConditionalWrites.Outcome outcome =
        executeOn(
            partition,
            claimed,
            found -> {
              answers.clear();
              answers.addAll(found);
            });
    return new Result(outcome, answers);
  }

  /**
   * Executes it on a partition of this process.
   *
   * @param claimed a snapshot that the caller has registered as active
   * @param evaluated receives the answers after each evaluation of the condition, before anything
   *     is written; if it throws, nothing is written
   */
  public ConditionalWrites.Outcome executeOn(
      Partition partition, VectorClock claimed, Consumer<List<Object>> evaluated) {
    return partition.writeIf(claimed, ids(), new Execution(partition, evaluated)::tryWrite);
  }

  /** One execution on the partition that has the objects. Confined to its thread. */
  private final class Execution {
    private final Partition partition;
    private final Map<ObjectQuery<?, ?>, Object> answers = new LinkedHashMap<>();

    private final Consumer<List<Object>> evaluated;

    Execution(Partition partition, Consumer<List<Object>> evaluated) {
      this.partition = partition;
      this.evaluated = evaluated;
    }

    Optional<CommitRequest> tryWrite(ConditionalWrites.Latest latest) {
      for (ObjectQuery<?, ?> query : queries()) {
        Object state = state(query.target(), latest);
        answers.put(query, query.answer(state, latest.at()));
      }
      evaluated.accept(List.copyOf(answers.values()));
      return condition.isMet(this::answer)
          ? Optional.of(new Attempt(latest, partition).execute(updates))
          : Optional.empty();
    }

    @SuppressWarnings("unchecked") // the answer is the query's own
    private <A> A answer(ObjectQuery<A, ?> query) {
      Object answer = answers.get(query);
      if (answer == null) {
        throw new IllegalStateException("a condition uses a query that it does not list: " + query);
      }
      return (A) answer;
    }
  }

  private static Object state(Key<?> key, ConditionalWrites.Latest latest) {
    Version version = latest.versions().get(key.id());
    return version == null ? key.type().initial() : version.stateAs(key.type(), key.id());
  }

  /** The effects of the updates on the latest versions. */
  private final class Attempt {
    private final ConditionalWrites.Latest latest;
    private final int dataCentre;
    private final VectorClock pruneFrontier;
    private final OperationContext context;
    private final Map<Bytes, CommitRequest.ObjectWrite> writes = new LinkedHashMap<>();
    private final Map<Bytes, Object> states = new HashMap<>();
    private final Footprints certified = new Footprints();
    private long bytes;

    Attempt(ConditionalWrites.Latest latest, Partition partition) {
      this.latest = latest;
      this.dataCentre = partition.dataCentre();
      this.pruneFrontier = partition.pruneFrontier(latest.at());
      this.context = new OperationContext(dataCentre, latest.at(), new SelfDots());
    }

    CommitRequest execute(List<Update> all) {
      all.forEach(this::execute);
      CommitRequest.Part part =
          new CommitRequest.Part(
              dataCentre, latest.at(), pruneFrontier, List.copyOf(writes.values()), certified);
      return CommitRequest.of(part, TransactionMetadata.none());
    }

    private void execute(Update update) {
      Key<?> key = update.key();
      CrdtType<?, ?, ?, ?> type = key.type();
      CommitRequest.ObjectWrite write =
          writes.computeIfAbsent(
              key.id(),
              id -> {
                bytes += id.length();
                return new CommitRequest.ObjectWrite(
                    id, type, new ArrayList<>(1), new ArrayList<>(1));
              });
      Key.checkType(key.id(), type, write.type());
      Object before = states.computeIfAbsent(key.id(), id -> state(key, latest));
      Object effect = CallTypes.downstream(type, update.operation(), before, context);
      byte[] encoded = CallTypes.encodeEffect(type, effect);
      checkSize(key, encoded.length);
      KeySizeLimit.check(update, encoded.length);
      write.effects().add(effect);
      write.encoded().add(encoded);
      states.put(
          key.id(), CallTypes.apply(type, before, effect, EffectOrigin.uncommitted(pruneFrontier)));
      if (CallTypes.needsCertification(type, update.operation())) {
        for (Footprint part : CallTypes.footprints(type, update.operation())) {
          certified.add(key.id(), part);
        }
      }
    }

    private void checkSize(Key<?> key, int effectBytes) {
      bytes += effectBytes;
      if (effectBytes > valueBytes || bytes > transactionBytes) {
        throw new LimitExceededException(
            "a conditional write takes %,d bytes with an operation on %s of %,d, at most %,d and %,d are allowed: split the value, or raise the limits"
                .formatted(bytes, key, effectBytes, transactionBytes, valueBytes));
      }
    }
  }
}
