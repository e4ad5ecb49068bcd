package io.github.stablecut.internal.transaction;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.MissingRightsException;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.SeveralTypes;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.index.VersionBytes;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.materializer.FoundObject;
import io.github.stablecut.internal.materializer.FoundObjects;
import io.github.stablecut.internal.materializer.ScanPlan;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.CommitRequest.ObjectWrite;
import io.github.stablecut.internal.partition.commit.Footprints;
import io.github.stablecut.internal.partition.commit.KeySizeLimit;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.StoreOptions.Limits;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Buffers a transaction's uncommitted writes: the effects of its operations and the resulting
 * states. Nothing leaves the buffer before the commit. Confined to the transaction's thread.
 */
final class WriteBuffer {
  /** The writes so far to one object as one type. */
  private static final class ObjectWrites {
    private final CrdtType<?, ?, ?, ?> type;

    /** The writes to the same object as another type; null if there are none. */
    private @Nullable ObjectWrites other;

    private List<Object> effects = List.of();
    private List<byte[]> encoded = List.of();

    /** The state with the effects; empty until it is needed. */
    private Optional<Object> state = Optional.empty();

    ObjectWrites(CrdtType<?, ?, ?, ?> type) {
      this.type = type;
    }

    private boolean isOf(CrdtType<?, ?, ?, ?> expectedType) {
      return type == expectedType || type.typeId() == expectedType.typeId();
    }
  }

  /**
   * An executed operation with the data to roll it back, even if an error interrupted it.
   *
   * @param effects the object's number of effects before
   * @param certified the parts of the object that only this operation certifies
   * @param hookUpdates the number of operations for hooks before
   * @param heldBytes the bytes that the operation holds of {@link #reservation}
   */
  private record Undo(
      Bytes id,
      ObjectWrites written,
      Optional<Object> stateBefore,
      int effects,
      List<Footprint> certified,
      int hookUpdates,
      long bytesBefore,
      int heldBytes) {}

  /**
   * A savepoint of a nested transaction.
   *
   * @param operations the number of operations in {@link #undoLog}
   */
  record Savepoint(int operations) {}

  private final EmbeddedStore store;
  private final VectorClock snapshot;
  private final ObjectSource source;
  private final OperationContext context;
  private final WrittenObjects<ObjectWrites> writes = new WrittenObjects<>();
  private final Dependencies dependencies;

  /** The operations since the outermost open savepoint, in order; empty without savepoints. */
  private List<Undo> undoLog = List.of();

  /** The updates that post-commit hooks receive. */
  private List<Update> hookUpdates = List.of();

  private int savepoints;
  private long bytes;

  /**
   * The bytes that this buffer holds of a limit that transactions share; null if there is no limit.
   */
  private BufferLimit.@Nullable Reservation reservation;

  /** The number of rollbacks that have begun and not completed. */
  private int rollbacks;

  /**
   * @param source reads objects at the snapshot
   */
  WriteBuffer(EmbeddedStore store, ObjectSource source, Certification certification) {
    this.source = source;
    this.dependencies = new Dependencies(certification);
    this.store = store;
    this.snapshot = source.snapshot();
    this.context = new OperationContext(store.local().number(), snapshot, new SelfDots());
  }

  /** Counts this buffer's bytes against a shared limit. Called while the buffer is empty. */
  void countIn(BufferLimit limit) {
    reservation = limit.reservation();
  }

  /** Releases the reservation, because the outcome is known. Thread-safe. */
  void release() {
    if (reservation != null) {
      reservation.close();
    }
  }

  boolean isEmpty() {
    return writes.isEmpty();
  }

  /**
   * Whether an error, such as a lack of memory, interrupted a rollback: the buffer may hold parts
   * of operations.
   */
  boolean isTorn() {
    return rollbacks > 0;
  }

  /** The updates that post-commit hooks receive, in order. */
  List<Update> hookUpdates() {
    return hookUpdates;
  }

  /** Answers an application's query. */
  <V> V read(Query<V> query) {
    return query instanceof ObjectQuery<?, V> question
        ? ask(question)
        : read((Key<V>) Objects.requireNonNull(query, "query"));
  }

  private <V> V read(Key<V> key) {
    Optional<ObjectQuery<?, V>> question = key.valueInMap();
    if (question.isPresent()) {
      return ask(question.get());
    }
    dependencies.read(key.id(), key.footprint());
    return key.view(written(key) == null ? source.stateFor(key) : state(key), snapshot);
  }

  private <A, V> V ask(ObjectQuery<A, V> query) {
    Key<?> key = query.target();
    A answer = written(key) == null ? source.ask(query) : query.answer(state(key), snapshot);
    if (query.isCertified()) {
      dependencies.read(key.id(), query.footprint(answer));
    }
    return query.decode(answer);
  }

  /** Adds the transaction's own writes to the objects of a scan. */
  FoundObjects scan(FoundObjects atSnapshot, ScanPlan plan) {
    NavigableSet<Bytes> written = new TreeSet<>();
    for (Bytes id : writes.ids()) {
      if (plan.range().contains(id)) {
        written.add(id);
      }
    }
    return new TransactionScan(this, atSnapshot, written, plan.isDescending());
  }

  /** Returns the recorder of a scan's progress, for certification. */
  EmbeddedScan.Progress certifyScan(ScanPlan plan) {
    return dependencies.scan(plan);
  }

  /**
   * Returns a written object as the transaction sees it; empty if its writes were rolled back.
   *
   * @param before the object as the snapshot sees it
   */
  Optional<FoundObject> found(Bytes id, Optional<FoundObject> before) {
    ObjectWrites first = writes.get(id);
    if (first == null) {
      return Optional.empty();
    }
    SeveralTypes.States states = SeveralTypes.TYPE.initial();
    for (SeveralTypes.State other : otherTypes(before)) {
      states = states.with(other.type(), other.state());
    }
    for (ObjectWrites written = first; written != null; written = written.other) {
      states = states.with(written.type, state(Key.ofId(id, written.type), written));
    }
    return Optional.of(
        FoundObject.of(id, Version.of(states, snapshot, snapshot, VersionBytes.of(0))));
  }

  /** The states of an object of several types. */
  private static List<SeveralTypes.State> otherTypes(Optional<FoundObject> before) {
    return before
        .filter(found -> found.type() == SeveralTypes.TYPE)
        .flatMap(FoundObject::version)
        .map(Version::states)
        .orElse(List.of());
  }

  /** Returns the state of an object at the snapshot, with the transaction's own effects. */
  private Object state(Key<?> key) {
    ObjectWrites written = written(key);
    return written == null ? source.state(key) : state(key, written);
  }

  /**
   * Returns the writes to an object as a key's type; null if there are none.
   *
   * @throws TypeMismatchException if the object is written as another type and does not have this
   *     one
   */
  private @Nullable ObjectWrites written(Key<?> key) {
    ObjectWrites first = writes.get(key.id());
    ObjectWrites written = first;
    while (written != null && !written.isOf(key.type())) {
      written = written.other;
    }
    if (first != null
        && written == null
        && !source.allowsOtherTypes()
        && !source.hasSeveralTypes(key)) {
      Key.checkType(key.id(), key.type(), first.type);
    }
    return written;
  }

  /** Returns the origin of the transaction's uncommitted effects. */
  private EffectOrigin own(Bytes id) {
    return EffectOrigin.uncommitted(store.pruneFrontier(store.partitions().of(id), snapshot));
  }

  private Object state(Key<?> key, ObjectWrites written) {
    if (written.state.isEmpty()) {
      Object state = source.state(key);
      for (Object effect : written.effects) {
        state = CallTypes.apply(written.type, state, effect, own(key.id()));
      }
      written.state = Optional.of(state);
    }
    return written.state.get();
  }

  /** Executes operations in order; if one is refused, rolls all of them back. */
  void execute(Update... updates) {
    if (updates.length == 1 && savepoints == 0) {
      execute(updates[0]);
      return;
    }
    Deque<Undo> executed = new ArrayDeque<>(updates.length);
    int before = undoLog.size();
    try {
      for (Update update : updates) {
        executed.push(execute(update));
      }
      if (savepoints > 0) {
        executed.descendingIterator().forEachRemaining(undoLog::add);
      }
    } catch (RuntimeException | Error e) {
      rollbacks++;
      undoLog = truncate(undoLog, before);
      executed.forEach(this::rollBack);
      rollbacks--;
      throw e;
    }
  }

  /** Begins a savepoint, to which operations can be rolled back. */
  Savepoint beginSavepoint() {
    undoLog = savepoints == 0 ? new ArrayList<>() : undoLog;
    savepoints++;
    return new Savepoint(undoLog.size());
  }

  /** Ends the newest savepoint and merges its operations into the previous one. */
  void mergeSavepoint() {
    savepoints--;
    if (savepoints == 0) {
      undoLog = List.of();
    }
  }

  /** Rolls back the operations since the newest savepoint, and ends it. */
  void rollBackTo(Savepoint savepoint) {
    while (undoLog.size() > savepoint.operations) {
      rollBack(undoLog.remove(undoLog.size() - 1));
    }
    mergeSavepoint();
  }

  @CanIgnoreReturnValue
  private Undo execute(Update update) {
    Key<?> key = Objects.requireNonNull(update, "update").key();
    ObjectWrites known = written(key);
    ObjectWrites written = known == null ? new ObjectWrites(key.type()) : known;
    Object effect = downstream(key, update.operation(), written);
    byte[] encoded = CallTypes.encodeEffect(key.type(), effect);
    int size = encoded.length + (known == null ? key.id().length() : 0);
    checkSize(store, key, encoded.length, bytes + size);
    KeySizeLimit.check(update, encoded.length);
    List<Footprint> footprints = dependencies.footprints(update);
    int held = size + BufferLimit.UPDATE_BYTES;
    if (reservation != null) {
      reservation.reserve(held);
    }
    Undo executed =
        new Undo(
            key.id(),
            written,
            written.state,
            written.effects.size(),
            footprints.isEmpty() ? List.of() : new ArrayList<>(footprints.size()),
            hookUpdates.size(),
            bytes,
            held);
    try {
      if (written.state.isPresent()) {
        written.state =
            Optional.of(CallTypes.apply(key.type(), written.state.get(), effect, own(key.id())));
      }
      written.effects = with(written.effects, effect);
      written.encoded = with(written.encoded, encoded);
      if (known == null) {
        written.other = writes.put(key.id(), written);
      }
      bytes += size;
      if (store.hooks().wants(key)) {
        hookUpdates = with(hookUpdates, update);
      }
      dependencies.updated(key.id(), footprints, executed.certified);
      return executed;
    } catch (RuntimeException | Error e) {
      rollBack(executed);
      throw e;
    }
  }

  private Object downstream(Key<?> key, Object operation, ObjectWrites written) {
    try {
      return effect(key, operation, written);
    } catch (MissingRightsException e) {
      throw store.refused(key, snapshot, e);
    }
  }

  private Object effect(Key<?> key, Object operation, ObjectWrites written) {
    boolean needsState = CallTypes.needsState(key.type(), operation);
    if (needsState && written.effects.isEmpty() && written.state.isEmpty()) {
      // The object's partition computes the effect, so the state is not transferred.
      return source.downstream(key, operation, context);
    }
    Object before = needsState ? state(key, written) : key.type().initial();
    return CallTypes.downstream(key.type(), operation, before, context);
  }

  private void rollBack(Undo executed) {
    rollbacks++;
    ObjectWrites written = executed.written;
    written.effects = truncate(written.effects, executed.effects);
    written.encoded = truncate(written.encoded, executed.effects);
    written.state = executed.stateBefore;
    if (written.effects.isEmpty()) {
      removeWrites(executed.id, written);
    }
    dependencies.revert(executed.id, executed.certified);
    hookUpdates = truncate(hookUpdates, executed.hookUpdates);
    bytes = executed.bytesBefore;
    if (reservation != null) {
      reservation.release(executed.heldBytes);
    }
    rollbacks--;
  }

  private void removeWrites(Bytes id, ObjectWrites written) {
    ObjectWrites before = writes.get(id);
    if (before == written) {
      if (written.other == null) {
        writes.remove(id);
      } else {
        writes.put(id, written.other);
      }
      return;
    }
    while (before != null && before.other != written) {
      before = before.other;
    }
    if (before != null) {
      before.other = written.other;
    }
  }

  /**
   * Adds an element to a list. Empty and single-element lists, which are the most frequent, use no
   * array.
   */
  private static <T> List<T> with(List<T> list, T added) {
    if (list.isEmpty()) {
      return List.of(added);
    }
    List<T> grown = list.size() == 1 ? new ArrayList<>(list) : list;
    grown.add(added);
    return grown;
  }

  /** Truncates a list that {@link #with} has made. */
  private static <T> List<T> truncate(List<T> list, int size) {
    if (list.size() > size) {
      if (size == 0) {
        return List.of();
      }
      list.subList(size, list.size()).clear();
    }
    return list;
  }

  /**
   * Checks the size of an effect, and of its transaction with it.
   *
   * @throws LimitExceededException if one is too large
   */
  static void checkSize(EmbeddedStore store, Key<?> key, int effectBytes, long transactionBytes) {
    Limits limits = store.options().limits();
    if (effectBytes > limits.valueBytes()) {
      throw new LimitExceededException(
          "an operation on %s takes %,d bytes, and at most %,d are allowed: split the value, or raise the limit"
              .formatted(key, effectBytes, limits.valueBytes()));
    }
    if (transactionBytes > limits.transactionBytes()) {
      throw new LimitExceededException(
          "the transaction takes %,d bytes with this operation on %s, and at most %,d are allowed: commit in smaller transactions"
              .formatted(transactionBytes, key, limits.transactionBytes()));
    }
    int most = store.partitions().transactionBytes();
    if (transactionBytes > most) {
      throw new LimitExceededException(
          "the transaction takes %,d bytes with this operation on %s, and at most %,d (a thirty-second of the heap) are allowed where partitions have replicas: commit in smaller transactions, or give all nodes a larger heap"
              .formatted(transactionBytes, key, most));
    }
  }

  /**
   * Returns the parts to commit, by partition: the writes and the certifications without a write.
   */
  Map<Integer, CommitRequest.Part> toParts() {
    Bytes onlyId = writes.onlyId();
    if (onlyId != null && dependencies.isEmpty()) {
      return onlyPart(onlyId, Objects.requireNonNull(writes.get(onlyId)));
    }
    Map<Integer, CommitRequest.Part> parts = new HashMap<>(2);
    writes.forEach((id, first) -> addWrites(part(parts, id).writes(), id, first));
    Footprints certified = dependencies.certified();
    for (Bytes id : certified.objects()) {
      part(parts, id).certified().addAll(id, certified);
    }
    dependencies.ranges().forEach(ids -> certify(ids, parts));
    return parts;
  }

  /** Returns the part of a transaction that writes one object and certifies nothing. */
  private Map<Integer, CommitRequest.Part> onlyPart(Bytes id, ObjectWrites first) {
    List<ObjectWrite> all = List.of(write(id, first));
    for (ObjectWrites written = first.other; written != null; written = written.other) {
      all = with(all, write(id, written));
    }
    PartitionAccess partition = store.partitions().of(id);
    return Map.of(partition.number(), part(partition, all, dependencies.certified()));
  }

  private static ObjectWrite write(Bytes id, ObjectWrites written) {
    return new ObjectWrite(id, written.type, written.effects, written.encoded);
  }

  private static void addWrites(List<ObjectWrite> all, Bytes id, ObjectWrites first) {
    for (ObjectWrites written = first; written != null; written = written.other) {
      all.add(write(id, written));
    }
  }

  private void certify(IdRange ids, Map<Integer, CommitRequest.Part> parts) {
    for (PartitionAccess partition : store.partitions().of(ids)) {
      part(parts, partition).certified().addRange(new Footprint.Elements(ids.from(), ids.until()));
    }
  }

  private CommitRequest.Part part(Map<Integer, CommitRequest.Part> parts, Bytes id) {
    return part(parts, store.partitions().of(id));
  }

  private CommitRequest.Part part(
      Map<Integer, CommitRequest.Part> parts, PartitionAccess partition) {
    return parts.computeIfAbsent(
        partition.number(), number -> part(partition, new ArrayList<>(), new Footprints()));
  }

  private CommitRequest.Part part(
      PartitionAccess partition, List<ObjectWrite> all, Footprints certified) {
    return new CommitRequest.Part(
        store.local().number(),
        snapshot,
        store.pruneFrontier(partition, snapshot),
        all,
        certified,
        source.allowsOtherTypes());
  }
}
