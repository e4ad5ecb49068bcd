package io.github.stablecut.crdt.map;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.internal.state.HeldAs;
import io.github.stablecut.crdt.internal.state.Nesting;
import io.github.stablecut.crdt.internal.tree.PersistentMap;
import io.github.stablecut.crdt.internal.tree.SortedView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A map from keys to objects of any type, without removal.
 *
 * <table>
 * <caption>Operations</caption>
 * <tr><th>operation</th><th>effect</th><th>concurrent operations</th></tr>
 * <tr><td>{@link Update}</td><td>per entry: the effect on its object</td><td>as the object's type says</td></tr>
 * </table>
 *
 * <p>Value: the value of every object that was ever updated, in ascending order of keys. Space: the
 * keys and the objects. An update is blind if its operations on the objects are.
 */
public final class GrowOnlyMap
    implements CrdtType<
        GrowOnlyMap.State, GrowOnlyMap.Update, GrowOnlyMap.Effect, Map<MapKey<?, ?>, Object>> {
  /** The type. */
  public static final GrowOnlyMap TYPE = new GrowOnlyMap();

  private static final State EMPTY = new State(PersistentMap.empty());

  private static final HeldAs<?, Update, ?, ?, Map<MapKey<?, ?>, Object>> RESETTABLE =
      new HeldAs<>(
          TYPE,
          RecursiveResetMap.TYPE,
          GrowOnlyMap::asBatch,
          GrowOnlyMap::plain,
          RecursiveResetMap.TYPE::value);
  private static final int MIN_ENTRY_BYTES = MapKey.MIN_BYTES + 1;

  private GrowOnlyMap() {}

  private static Optional<Update> plain(RecursiveResetMap.Operation operation) {
    List<EntryUpdate<?>> parts = new ArrayList<>();
    for (RecursiveResetMap.EntryOperation part : RecursiveResetMap.partsOf(operation)) {
      if (!(part instanceof RecursiveResetMap.Update<?> update)) {
        return Optional.empty();
      }
      parts.add(part(update));
    }
    return Optional.of(new Update(parts));
  }

  private static <O> EntryUpdate<O> part(RecursiveResetMap.Update<O> update) {
    return new EntryUpdate<>(update.place(), update.operation());
  }

  /**
   * Updates objects in order: later parts see the effects of earlier ones.
   *
   * @param parts the updates of the objects
   */
  public record Update(List<EntryUpdate<?>> parts) implements Nesting {
    /** Copies the list. */
    public Update {
      parts = List.copyOf(parts);
    }

    /** Updates one object. */
    public static <O> Update of(MapKey<O, ?> place, O operation) {
      return new Update(List.of(new EntryUpdate<>(place, operation)));
    }

    @Override
    public int depth() {
      return parts.stream().mapToInt(EntryUpdate::depth).max().orElse(0);
    }
  }

  /** The update of one object. */
  public record EntryUpdate<O>(MapKey<O, ?> place, O operation) implements Nesting {
    /** Checks the depth. */
    public EntryUpdate {
      Nesting.check(operation);
    }

    @Override
    public int depth() {
      return Nesting.around(operation);
    }

    void write(Encoder out) {
      place.write(out);
      place.writeOperation(operation, out);
    }
  }

  /** The effects on objects, in order. */
  public record Effect(List<Change<?, ?>> changes) {
    /** Copies the list. */
    public Effect {
      changes = List.copyOf(changes);
    }
  }

  /** The effect on one object. */
  record Change<S, E>(MapKey<?, ?> place, CrdtType<S, ?, E, ?> type, E effect) {
    Optional<? extends EntryUpdate<?>> part() {
      return part(place);
    }

    @SuppressWarnings("unchecked") // the type is that of the key
    private <O> Optional<EntryUpdate<O>> part(MapKey<O, ?> at) {
      return ((CrdtType<S, O, E, ?>) type)
          .operation(effect)
          .map(operation -> new EntryUpdate<>(at, operation));
    }

    Entry<S> applyTo(State state, EffectOrigin origin) {
      return new Entry<>(type, type.apply(state.object(place, type), effect, origin));
    }

    boolean touches(Footprint.Entry entry) {
      return entry.isTouched(place, type, effect);
    }

    /** Omits the type, which is part of the key. */
    @Override
    public String toString() {
      return "Change[place=%s, effect=%s]".formatted(place, effect);
    }

    void write(Encoder out) {
      place.write(out);
      out.enter();
      type.writeEffect(effect, out);
      out.exit();
    }
  }

  /** An object in the map. */
  record Entry<S>(CrdtType<S, ?, ?, ?> type, S object) {
    /** The object's value, as a type with the same id shows it. */
    @SuppressWarnings("unchecked") // types with the same id have the same states
    Object value(CrdtType<?, ?, ?, ?> requested, VectorClock snapshot) {
      return ((CrdtType<S, ?, ?, ?>) requested).value(object, snapshot);
    }

    /** Prunes the object; returns this entry if nothing changes. */
    Optional<Entry<?>> prune(VectorClock frontier) {
      S pruned = type.prune(object, frontier);
      return Optional.of(pruned == object ? this : new Entry<>(type, pruned));
    }

    boolean isSettled() {
      return type.isSettled(object);
    }

    Entry<?> narrowed(Footprint part) {
      return new Entry<>(type, type.narrowed(object, part));
    }

    void write(Encoder out) {
      out.enter();
      type.writeState(object, out);
      out.exit();
    }
  }

  /** The objects. */
  public record State(PersistentMap<MapKey<?, ?>, Entry<?>> entries) {
    @SuppressWarnings("unchecked") // the key determines the object's type
    private <S> S object(MapKey<?, ?> place, CrdtType<S, ?, ?, ?> type) {
      Entry<?> entry = entries.getForChange(place);
      return entry == null ? type.initial() : (S) entry.object;
    }

    @SuppressWarnings("ReferenceEquality") // an unchanged map is the same object
    private State with(PersistentMap<MapKey<?, ?>, Entry<?>> changed) {
      return changed == entries ? this : new State(changed);
    }

    private State with(MapKey<?, ?> place, Entry<?> entry) {
      return new State(entries.with(place, entry));
    }
  }

  @Override
  public int typeId() {
    return 11;
  }

  @Override
  public String name() {
    return "grow-only map";
  }

  @Override
  public State initial() {
    return EMPTY;
  }

  @Override
  public boolean needsState(Update operation) {
    return operation.parts.stream().anyMatch(GrowOnlyMap::needsState);
  }

  private static <O> boolean needsState(EntryUpdate<O> part) {
    return part.place.type().needsState(part.operation);
  }

  @Override
  public boolean needsCertification(Update operation) {
    return operation.parts.stream().anyMatch(GrowOnlyMap::needsCertification);
  }

  private static <O> boolean needsCertification(EntryUpdate<O> part) {
    return part.place.type().needsCertification(part.operation);
  }

  /** Any object in the map may be an expiring one. */
  @Override
  public boolean dependsOnTime() {
    return true;
  }

  @Override
  public Effect downstream(Update operation, State state, OperationContext context) {
    List<Change<?, ?>> changes = new ArrayList<>(operation.parts.size());
    State current = state;
    for (EntryUpdate<?> part : operation.parts) {
      if (!changes.isEmpty()) {
        Change<?, ?> last = changes.get(changes.size() - 1);
        EffectOrigin open = EffectOrigin.uncommitted(VectorClock.ZERO);
        current = current.with(last.place, last.applyTo(current, open));
      }
      changes.add(change(part, current, context));
    }
    return new Effect(changes);
  }

  private static <O> Change<?, ?> change(
      EntryUpdate<O> part, State state, OperationContext context) {
    return change(part.place, part.place.type(), part.operation, state, context);
  }

  private static <S, O, E> Change<S, E> change(
      MapKey<O, ?> place,
      CrdtType<S, O, E, ?> type,
      O operation,
      State state,
      OperationContext context) {
    S object = state.object(place, type);
    return new Change<>(place, type, type.downstream(operation, object, context));
  }

  @Override
  public List<Footprint> footprints(Update operation) {
    return operation.parts.stream().flatMap(part -> footprints(part).stream()).toList();
  }

  private static <O> List<Footprint> footprints(EntryUpdate<O> part) {
    return Footprint.inside(part.place, part.place.type().footprints(part.operation));
  }

  @Override
  public boolean touches(Effect effect, Footprint footprint) {
    return !(footprint instanceof Footprint.Entry entry)
        || effect.changes.stream().anyMatch(change -> change.touches(entry));
  }

  @Override
  public Optional<Update> operation(Effect effect) {
    List<EntryUpdate<?>> parts = new ArrayList<>(effect.changes.size());
    for (Change<?, ?> change : effect.changes) {
      change.part().ifPresent(parts::add);
    }
    return parts.size() == effect.changes.size()
        ? Optional.of(new Update(parts))
        : Optional.empty();
  }

  @Override
  public State apply(State state, Effect effect, EffectOrigin origin) {
    State after = state;
    for (Change<?, ?> change : effect.changes) {
      after = after.with(change.place, change.applyTo(after, origin));
    }
    return after;
  }

  @Override
  public Map<MapKey<?, ?>, Object> value(State state, VectorClock snapshot) {
    return SortedView.of(
        state.entries, MapKey.class, (place, entry) -> entry.value(place.type(), snapshot));
  }

  @Override
  public State narrowed(State state, Footprint part) {
    return part instanceof Footprint.Entry entry
        ? new State(state.entries.narrowed(entry.place(), found -> found.narrowed(entry.inside())))
        : state;
  }

  @Override
  public State prune(State state, VectorClock frontier) {
    PersistentMap<MapKey<?, ?>, Entry<?>> kept =
        state.entries.pruned(entry -> entry.prune(frontier));
    return state.with(kept);
  }

  @Override
  public boolean isSettled(State state) {
    return state.entries.isSettled(Entry::isSettled);
  }

  @Override
  public CrdtType<?, Update, ?, Map<MapKey<?, ?>, Object>> resettable() {
    return RESETTABLE;
  }

  private static RecursiveResetMap.Operation asBatch(Update update) {
    return new RecursiveResetMap.Batch(
        update.parts.stream()
            .<RecursiveResetMap.EntryOperation>map(GrowOnlyMap::asUpdate)
            .toList());
  }

  private static <O> RecursiveResetMap.Update<O> asUpdate(EntryUpdate<O> part) {
    return new RecursiveResetMap.Update<>(part.place, part.operation);
  }

  @Override
  public void writeOperation(Update operation, Encoder out) {
    out.writeUnsigned(operation.parts.size());
    operation.parts.forEach(part -> part.write(out));
  }

  @Override
  public Update readOperation(Decoder in) {
    return new Update(
        in.<EntryUpdate<?>>readList(MapKey.MIN_BYTES, from -> readPart(MapKey.read(from), from)));
  }

  private static <O> EntryUpdate<O> readPart(MapKey<O, ?> place, Decoder in) {
    return new EntryUpdate<>(place, place.readOperation(in));
  }

  @Override
  public void writeState(State state, Encoder out) {
    state.entries.write(out, MapKey::write, Entry::write, Entry::isSettled);
  }

  @Override
  public State readState(Decoder in) {
    return new State(
        PersistentMap.read(
            in, MIN_ENTRY_BYTES, MapKey::read, (place, from) -> readEntry(place.type(), from)));
  }

  private static <S> Entry<S> readEntry(CrdtType<S, ?, ?, ?> type, Decoder in) {
    in.enter();
    S object = type.readState(in);
    in.exit();
    return new Entry<>(type, object);
  }

  @Override
  public void writeEffect(Effect effect, Encoder out) {
    out.writeUnsigned(effect.changes.size());
    effect.changes.forEach(change -> change.write(out));
  }

  @Override
  public Effect readEffect(Decoder in) {
    return new Effect(in.readList(MIN_ENTRY_BYTES, GrowOnlyMap::readChange));
  }

  private static Change<?, ?> readChange(Decoder in) {
    MapKey<?, ?> place = MapKey.read(in);
    in.enter();
    Change<?, ?> change = readChange(place, place.type(), in);
    in.exit();
    return change;
  }

  private static <S, E> Change<S, E> readChange(
      MapKey<?, ?> place, CrdtType<S, ?, E, ?> type, Decoder in) {
    return new Change<>(place, type, type.readEffect(in));
  }
}
