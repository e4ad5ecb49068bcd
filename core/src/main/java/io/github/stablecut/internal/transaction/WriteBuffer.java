package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.error.ClosedException;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.internal.materializer.Folding;
import io.github.stablecut.internal.partition.CommitRequest;
import io.github.stablecut.internal.partition.CommitRequest.ObjectWrite;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.StoreOptions.Limits;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * A transaction's uncommitted writes: the effects of its operations, and the resulting states.
 * Nothing leaves the buffer before the commit. Confined to the transaction's thread.
 */
final class WriteBuffer {
  /** The writes to one object so far. */
  private static final class Written {
    private final CrdtType<?, ?, ?, ?> type;
    private final List<Object> effects = new ArrayList<>(1);
    private final List<byte[]> encoded = new ArrayList<>(1);

    /** The state with the effects; empty until it is needed. */
    private Optional<Object> state = Optional.empty();

    Written(CrdtType<?, ?, ?, ?> type) {
      this.type = type;
    }
  }

  /**
   * An executed operation, for rollback.
   *
   * @param certifies whether only this operation certifies the object
   * @param isTold whether hooks receive it
   */
  private record Executed(
      Bytes id,
      Written written,
      Optional<Object> stateBefore,
      int size,
      boolean certifies,
      boolean isTold) {}

  /**
   * A savepoint of a nested transaction.
   *
   * @param operations the number of operations in {@link #takeable}
   */
  record Savepoint(int operations) {}

  /** Most transactions write at most this many objects. */
  private static final int FEW = 4;

  private final EmbeddedStore store;
  private final VectorClock snapshot;
  private final Function<Key<?>, Object> states;
  private final Limits limits;
  private final OperationContext context;
  private final Certification certification;
  private final Map<Bytes, Written> writes = new LinkedHashMap<>(FEW);

  /** The objects that no other transaction may have written since the snapshot. */
  private final Set<Bytes> certified = new HashSet<>(0);

  /** What was executed since the outermost open savepoint, in order; empty without savepoints. */
  private final List<Executed> takeable = new ArrayList<>(0);

  /** The operations that post-commit hooks receive. */
  private final List<Update> told = new ArrayList<>(0);

  private int savepoints;
  private long bytes;

  /**
   * @param states reads an object's state at the snapshot
   */
  WriteBuffer(
      EmbeddedStore store,
      VectorClock snapshot,
      Certification certification,
      Function<Key<?>, Object> states) {
    this.states = states;
    this.certification = certification;
    this.store = store;
    this.snapshot = snapshot;
    this.limits = store.options().limits();
    this.context = new OperationContext(store.local().number(), snapshot, new SelfDots());
  }

  boolean isEmpty() {
    return writes.isEmpty();
  }

  /** The operations that post-commit hooks receive, in order. */
  List<Update> told() {
    return told;
  }

  /** Reads the state of an object for the application. */
  Object read(Key<?> key) {
    if (certification == Certification.READS_WRITES) {
      certified.add(key.id());
    }
    return state(key);
  }

  /** The state of an object at the snapshot, with the transaction's own effects. */
  private Object state(Key<?> key) {
    Written written = writes.get(key.id());
    if (written == null) {
      return states.apply(key);
    }
    Key.checkType(key.id(), key.type(), written.type);
    return state(key, written);
  }

  /** The origin of the transaction's uncommitted effects. */
  private EffectOrigin own(Bytes id) {
    return EffectOrigin.uncommitted(pruneFrontier(store.partitions().of(id)));
  }

  private VectorClock pruneFrontier(PartitionAccess partition) {
    try {
      return partition.pruneFrontier(snapshot);
    } catch (ClosedException e) {
      throw EmbeddedStore.closed();
    }
  }

  private Object state(Key<?> key, Written written) {
    if (written.state.isEmpty()) {
      Object state = states.apply(key);
      for (Object effect : written.effects) {
        state = Folding.apply(written.type, state, effect, own(key.id()));
      }
      written.state = Optional.of(state);
    }
    return written.state.get();
  }

  /** Executes operations in order; if one is refused, rolls all of them back. */
  void execute(Update... updates) {
    Deque<Executed> executed = new ArrayDeque<>(updates.length);
    try {
      for (Update update : updates) {
        executed.push(execute(update));
      }
    } catch (RuntimeException e) {
      executed.forEach(this::takeBack);
      throw e;
    }
    if (savepoints > 0) {
      executed.descendingIterator().forEachRemaining(takeable::add);
    }
  }

  /** Begins a savepoint, to which operations can be rolled back. */
  Savepoint beginSavepoint() {
    savepoints++;
    return new Savepoint(takeable.size());
  }

  /** Ends the newest savepoint and merges its operations into the previous one. */
  void mergeSavepoint() {
    savepoints--;
    if (savepoints == 0) {
      takeable.clear();
    }
  }

  /** Rolls back the operations since the newest savepoint, and ends it. */
  void takeBackTo(Savepoint savepoint) {
    while (takeable.size() > savepoint.operations) {
      takeBack(takeable.remove(takeable.size() - 1));
    }
    mergeSavepoint();
  }

  private Executed execute(Update update) {
    Key<?> key = update.key();
    Written known = writes.get(key.id());
    Written written = known == null ? new Written(key.type()) : known;
    Key.checkType(key.id(), key.type(), written.type);
    boolean needsState = Folding.needsState(key.type(), update.operation());
    Object before = needsState ? state(key, written) : key.type().initial();
    Object effect = Folding.downstream(key.type(), update.operation(), before, context);
    byte[] encoded = Folding.encodeEffect(key.type(), effect);
    int size = encoded.length + (known == null ? key.id().length() : 0);
    checkSize(key, encoded.length, size);
    Optional<Object> stateBefore = written.state;
    if (written.state.isPresent()) {
      written.state =
          Optional.of(Folding.apply(key.type(), written.state.get(), effect, own(key.id())));
    }
    written.effects.add(effect);
    written.encoded.add(encoded);
    writes.put(key.id(), written);
    bytes += size;
    boolean certifies = needsCertification(update) && certified.add(key.id());
    boolean isTold = store.hooks().wants(key) && told.add(update);
    return new Executed(key.id(), written, stateBefore, size, certifies, isTold);
  }

  private boolean needsCertification(Update update) {
    return certification != Certification.NONE
        || Folding.needsCertification(update.key().type(), update.operation());
  }

  private void takeBack(Executed executed) {
    Written written = executed.written;
    written.effects.remove(written.effects.size() - 1);
    written.encoded.remove(written.encoded.size() - 1);
    written.state = executed.stateBefore;
    if (written.effects.isEmpty()) {
      writes.remove(executed.id);
    }
    // Reads stay certified: the application has seen them and may depend on them.
    if (executed.certifies && certification != Certification.READS_WRITES) {
      certified.remove(executed.id);
    }
    if (executed.isTold) {
      told.remove(told.size() - 1);
    }
    bytes -= executed.size;
  }

  private void checkSize(Key<?> key, int effectBytes, int size) {
    if (effectBytes > limits.valueBytes()) {
      throw new LimitExceededException(
          "an operation on %s takes %,d bytes, at most %,d are allowed: split the value, or raise the limit"
              .formatted(key, effectBytes, limits.valueBytes()));
    }
    if (bytes + size > limits.transactionBytes()) {
      throw new LimitExceededException(
          "the transaction takes %,d bytes with this operation on %s, at most %,d are allowed: commit in parts"
              .formatted(bytes + size, key, limits.transactionBytes()));
    }
  }

  /**
   * The parts to commit, by partition: writes, and objects that were certified without being
   * written.
   */
  Map<Integer, CommitRequest.Part> toParts() {
    Map<Integer, CommitRequest.Part> parts = new HashMap<>(2);
    writes.forEach(
        (id, written) ->
            part(parts, id)
                .writes()
                .add(new ObjectWrite(id, written.type, written.effects, written.encoded)));
    for (Bytes id : certified) {
      boolean unused = part(parts, id).certified().add(id);
    }
    return parts;
  }

  private CommitRequest.Part part(Map<Integer, CommitRequest.Part> parts, Bytes id) {
    PartitionAccess partition = store.partitions().of(id);
    return parts.computeIfAbsent(
        partition.number(),
        number ->
            new CommitRequest.Part(
                store.local().number(),
                snapshot,
                pruneFrontier(partition),
                new ArrayList<>(writes.size()),
                new HashSet<>(0)));
  }
}
