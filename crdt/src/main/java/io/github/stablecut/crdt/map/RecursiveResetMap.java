package io.github.stablecut.crdt.map;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.ResetBound;
import io.github.stablecut.crdt.ResetBudget;
import io.github.stablecut.crdt.internal.state.DotSet;
import io.github.stablecut.crdt.internal.state.Nesting;
import io.github.stablecut.crdt.internal.tree.PersistentMap;
import io.github.stablecut.crdt.internal.tree.SortedView;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A map from keys to objects of any type, in which removing an entry undoes the observed updates of
 * its object and keeps concurrent ones (the "recursive reset map" of Riak and AntidoteDB; Brown et
 * al., "Riak DT Map", PaPEC 2014).
 *
 * <table>
 * <caption>Operations</caption>
 * <tr><th>operation</th><th>effect</th><th>concurrent operations</th></tr>
 * <tr><td>{@link Update}</td><td>the entry's observed dots and a new one; the effect on the object</td><td>keeps the entry; otherwise as the object's type says</td></tr>
 * <tr><td>{@link Remove}</td><td>the entry's observed dots; the reset of the object</td><td>undoes only what it observed</td></tr>
 * <tr><td>{@link Batch}</td><td>the effects of its parts, in order</td><td>like its parts</td></tr>
 * <tr><td>{@link Reset}</td><td>the removal of every observed entry</td><td>likewise</td></tr>
 * </table>
 *
 * <p>Types without a reset are stored in a form with one ({@link CrdtType#resettable}), so objects
 * of any type can be nested and removed.
 *
 * <p>Value: an entry is present if it has an update that no removal or reset has observed. Its
 * value is what the object's type defines for these updates. So an entry whose object is empty or 0
 * can be present, and one whose updates were all removed is absent. Space: the objects, and a dot
 * per entry and concurrent update.
 */
public final class RecursiveResetMap
    implements CrdtType<
        RecursiveResetMap.State,
        RecursiveResetMap.Operation,
        RecursiveResetMap.Effect,
        Map<MapKey<?, ?>, Object>> {
  /** The type. */
  public static final RecursiveResetMap TYPE = new RecursiveResetMap();

  private static final State EMPTY = new State(PersistentMap.empty());
  private static final int MIN_CHANGE_BYTES = MapKey.MIN_BYTES + 3;
  private static final int MIN_ENTRY_BYTES = MapKey.MIN_BYTES + 2;

  private RecursiveResetMap() {}

  /** The operations on the map. */
  public sealed interface Operation extends Nesting {}

  /** An operation on one entry; also a part of a batch. */
  public sealed interface EntryOperation extends Operation {}

  /** Updates the object at a key. */
  public record Update<O>(MapKey<O, ?> place, O operation) implements EntryOperation {
    /** Checks the depth. */
    public Update {
      Nesting.check(operation);
    }

    @Override
    public int depth() {
      return Nesting.around(operation);
    }
  }

  /** Removes the entry at a key; no effect if absent. */
  public record Remove(MapKey<?, ?> place) implements EntryOperation {
    @Override
    public int depth() {
      return 1;
    }
  }

  /** Performs operations in order: later parts see the effects of earlier ones. */
  public record Batch(List<EntryOperation> parts) implements Operation {
    /** Copies the list. */
    public Batch {
      parts = List.copyOf(parts);
    }

    @Override
    public int depth() {
      return parts.stream().mapToInt(EntryOperation::depth).max().orElse(1);
    }
  }

  /** Removes all entries. */
  public record Reset() implements Operation {
    @Override
    public int depth() {
      return 1;
    }
  }

  /** Like {@link Reset}, but with an effect of bounded size. */
  public record ResetWithin(ResetBound bound) implements Operation {
    @Override
    public int depth() {
      return 1;
    }
  }

  /** The changes of entries, in order. */
  public record Effect(List<Change<?, ?>> changes) {
    /** Copies the list. */
    public Effect {
      changes = List.copyOf(changes);
    }
  }

  /**
   * The change of one entry.
   *
   * @param type the type of the key, in its resettable form
   * @param observed the dots of the entry that it removes
   * @param added the dot that it adds, if any
   * @param effect the effect on the object
   */
  public record Change<S, E>(
      MapKey<?, ?> place,
      CrdtType<S, ?, E, ?> type,
      DotSet observed,
      Optional<Dot> added,
      E effect) {
    Optional<EntryOperation> part() {
      return added.isPresent() ? update(place) : Optional.of(new Remove(place));
    }

    @SuppressWarnings("unchecked") // the type is a form of the key's type
    private <O> Optional<EntryOperation> update(MapKey<O, ?> at) {
      return ((CrdtType<S, O, E, ?>) type)
          .operation(effect)
          .map(operation -> new Update<>(at, operation));
    }

    State applyTo(State state, EffectOrigin origin) {
      return new State(
          state.entries.update(place, State.absent(type), entry -> applyTo(cast(entry), origin)));
    }

    @SuppressWarnings("unchecked") // the key determines the object's type
    private ResettableEntry<S> cast(ResettableEntry<?> entry) {
      return (ResettableEntry<S>) entry;
    }

    private ResettableEntry<S> applyTo(ResettableEntry<S> entry, EffectOrigin origin) {
      DotSet kept = entry.dots().withoutObserved(observed, origin);
      return new ResettableEntry<>(
          type,
          added.isPresent() ? kept.with(origin.resolve(added.get())) : kept,
          type.apply(entry.object(), effect, origin));
    }

    boolean touches(Footprint.Entry entry) {
      return entry.isTouched(place, type, effect);
    }

    /** Omits the type, which is part of the key. */
    @Override
    public String toString() {
      return "Change[place=%s, observed=%s, added=%s, effect=%s]"
          .formatted(place, observed, added, effect);
    }

    void write(Encoder out) {
      place.write(out);
      observed.write(out);
      out.writeFlag(added.isPresent());
      added.ifPresent(out::writeDot);
      out.enter();
      type.writeEffect(effect, out);
      out.exit();
    }
  }

  /** The entries. */
  public record State(PersistentMap<MapKey<?, ?>, ResettableEntry<?>> entries) {
    @SuppressWarnings("unchecked") // the key determines the object's type
    private <S> ResettableEntry<S> entry(MapKey<?, ?> place, CrdtType<S, ?, ?, ?> type) {
      ResettableEntry<?> entry = entries.getForChange(place);
      return entry == null ? absent(type) : (ResettableEntry<S>) entry;
    }

    private static <S> ResettableEntry<S> absent(CrdtType<S, ?, ?, ?> type) {
      return new ResettableEntry<>(type, DotSet.EMPTY, type.initial());
    }

    @SuppressWarnings("ReferenceEquality") // an unchanged map is the same object
    private State with(PersistentMap<MapKey<?, ?>, ResettableEntry<?>> changed) {
      return changed == entries ? this : new State(changed);
    }
  }

  @Override
  public int typeId() {
    return 12;
  }

  @Override
  public String name() {
    return "recursive-reset map";
  }

  @Override
  public State initial() {
    return EMPTY;
  }

  @Override
  public boolean needsState(Operation operation) {
    return true;
  }

  @Override
  public boolean needsCertification(Operation operation) {
    return partsOf(operation).stream()
        .anyMatch(part -> part instanceof Update<?> update && needsCertification(update));
  }

  private static <O> boolean needsCertification(Update<O> update) {
    return update.place.type().needsCertification(update.operation);
  }

  @Override
  public Operation resetOperation() {
    return new Reset();
  }

  @Override
  public Optional<Operation> deletion(ResetBound bound) {
    return Optional.of(new ResetWithin(bound));
  }

  /** Any object in the map may be an expiring one. */
  @Override
  public boolean dependsOnTime() {
    return true;
  }

  @Override
  public Effect downstream(Operation operation, State state, OperationContext context) {
    if (operation instanceof EntryOperation part) {
      return new Effect(
          change(part, state, context).<List<Change<?, ?>>>map(List::of).orElse(List.of()));
    }
    if (operation instanceof ResetWithin within) {
      return within.bound.effect(name(), budget -> downstreamReset(state, context, budget));
    }
    return new Effect(
        operation instanceof Batch batch
            ? changes(batch, state, context)
            : removals(state, context));
  }

  private static List<Change<?, ?>> changes(Batch batch, State state, OperationContext context) {
    List<Change<?, ?>> changes = new ArrayList<>(batch.parts.size());
    State current = state;
    Optional<Change<?, ?>> last = Optional.empty();
    for (EntryOperation part : batch.parts) {
      if (last.isPresent()) {
        current = last.get().applyTo(current, EffectOrigin.uncommitted(VectorClock.ZERO));
      }
      last = change(part, current, context);
      last.ifPresent(changes::add);
    }
    return changes;
  }

  private static List<Change<?, ?>> removals(State state, OperationContext context) {
    List<Change<?, ?>> changes = new ArrayList<>(state.entries.size());
    state.entries.forEach((place, entry) -> changes.add(entry.removal(place, context)));
    return changes;
  }

  /** Resets the visible entries; invisible ones have been reset already. */
  @Override
  public Optional<Effect> downstreamReset(
      State state, OperationContext context, ResetBudget budget) {
    List<Change<?, ?>> changes = new ArrayList<>();
    PersistentMap<MapKey<?, ?>, ResettableEntry<?>> entries = state.entries;
    Iterator<Map.Entry<MapKey<?, ?>, ResettableEntry<?>>> visible =
        entries.visible(0, entries.visibleSize(), false);
    while (visible.hasNext() && budget.tryTake(ResetBudget.OVERHEAD)) {
      Map.Entry<MapKey<?, ?>, ResettableEntry<?>> entry = visible.next();
      entry.getValue().removal(entry.getKey(), context, budget).ifPresent(changes::add);
    }
    return Optional.of(new Effect(changes));
  }

  static List<EntryOperation> partsOf(Operation operation) {
    if (operation instanceof Batch batch) {
      return batch.parts;
    }
    return operation instanceof EntryOperation part ? List.of(part) : List.of();
  }

  private static Optional<Change<?, ?>> change(
      EntryOperation part, State state, OperationContext context) {
    if (part instanceof Update<?> update) {
      return Optional.of(update(update, state, context));
    }
    MapKey<?, ?> place = ((Remove) part).place;
    ResettableEntry<?> entry = state.entries.getForChange(place);
    return entry == null ? Optional.empty() : Optional.of(entry.removal(place, context));
  }

  private static <O> Change<?, ?> update(Update<O> update, State state, OperationContext context) {
    return update(update, update.place.type().resettable(), state, context);
  }

  private static <S, O, E> Change<S, E> update(
      Update<O> update, CrdtType<S, O, E, ?> type, State state, OperationContext context) {
    ResettableEntry<S> entry = state.entry(update.place, type);
    Optional<Dot> added = Optional.of(context.dots().take());
    E effect = type.downstream(update.operation, entry.object(), context);
    return new Change<>(update.place, type, entry.dots(), added, effect);
  }

  @Override
  public List<Footprint> footprints(Operation operation) {
    return operation instanceof Reset || operation instanceof ResetWithin
        ? List.of(Footprint.whole())
        : partsOf(operation).stream().flatMap(part -> footprints(part).stream()).toList();
  }

  private static List<Footprint> footprints(EntryOperation part) {
    return part instanceof Update<?> update
        ? footprints(update)
        : Footprint.inside(((Remove) part).place, List.of(Footprint.whole()));
  }

  private static <O> List<Footprint> footprints(Update<O> update) {
    return Footprint.inside(update.place, update.place.type().footprints(update.operation));
  }

  @Override
  public boolean touches(Effect effect, Footprint footprint) {
    return !(footprint instanceof Footprint.Entry entry)
        || effect.changes.stream().anyMatch(change -> change.touches(entry));
  }

  @Override
  public Optional<Operation> operation(Effect effect) {
    List<EntryOperation> parts = new ArrayList<>(effect.changes.size());
    for (Change<?, ?> change : effect.changes) {
      change.part().ifPresent(parts::add);
    }
    if (parts.size() < effect.changes.size()) {
      return Optional.empty();
    }
    return Optional.of(parts.size() == 1 ? parts.get(0) : new Batch(parts));
  }

  @Override
  public State apply(State state, Effect effect, EffectOrigin origin) {
    State after = state;
    for (Change<?, ?> change : effect.changes) {
      after = change.applyTo(after, origin);
    }
    return after;
  }

  @Override
  public Map<MapKey<?, ?>, Object> value(State state, VectorClock snapshot) {
    return SortedView.of(
        state.entries,
        MapKey.class,
        (place, entry) -> entry.value(place.type().resettable(), snapshot));
  }

  @Override
  public State narrowed(State state, Footprint part) {
    return part instanceof Footprint.Entry entry
        ? new State(state.entries.narrowed(entry.place(), found -> found.narrowed(entry.inside())))
        : state;
  }

  @Override
  public State prune(State state, VectorClock frontier) {
    PersistentMap<MapKey<?, ?>, ResettableEntry<?>> kept =
        state.entries.pruned(entry -> entry.prune(frontier));
    return state.with(kept);
  }

  @Override
  public boolean isSettled(State state) {
    return state.entries.isSettled(ResettableEntry::isSettled);
  }

  @Override
  public void writeOperation(Operation operation, Encoder out) {
    MapOperationCodec.write(operation, out);
  }

  @Override
  public Operation readOperation(Decoder in) {
    return MapOperationCodec.read(in);
  }

  @Override
  public void writeState(State state, Encoder out) {
    state.entries.write(out, MapKey::write, ResettableEntry::write, ResettableEntry::isSettled);
  }

  @Override
  public State readState(Decoder in) {
    return new State(
        PersistentMap.read(
            in,
            MIN_ENTRY_BYTES,
            MapKey::read,
            (place, from) -> readEntry(place.type().resettable(), from)));
  }

  private static <S> ResettableEntry<S> readEntry(CrdtType<S, ?, ?, ?> type, Decoder in) {
    DotSet dots = DotSet.read(in);
    in.enter();
    ResettableEntry<S> entry = new ResettableEntry<>(type, dots, type.readState(in));
    in.exit();
    if (entry.isDiscardable()) {
      throw new FormatException(
          "an entry of a map is absent: it has no dots and an initial object");
    }
    return entry;
  }

  @Override
  public void writeEffect(Effect effect, Encoder out) {
    out.writeUnsigned(effect.changes.size());
    effect.changes.forEach(change -> change.write(out));
  }

  @Override
  public Effect readEffect(Decoder in) {
    return new Effect(in.readList(MIN_CHANGE_BYTES, RecursiveResetMap::readChange));
  }

  private static Change<?, ?> readChange(Decoder in) {
    MapKey<?, ?> place = MapKey.read(in);
    return readChange(place, place.type().resettable(), in);
  }

  private static <S, E> Change<S, E> readChange(
      MapKey<?, ?> place, CrdtType<S, ?, E, ?> type, Decoder in) {
    DotSet observed = DotSet.read(in);
    Optional<Dot> added = in.readFlag() ? Optional.of(in.readDot()) : Optional.empty();
    in.enter();
    E effect = type.readEffect(in);
    in.exit();
    return new Change<>(place, type, observed, added, effect);
  }
}
