package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A map from keys to objects of any type, in which removing an entry undoes what was observed of
 * its object and leaves what is concurrent (the "recursive reset map" of Riak and AntidoteDB; Brown
 * et al., "Riak DT Map", PaPEC 2014).
 *
 * <table>
 * <caption>Operations</caption>
 * <tr><th>operation</th><th>effect</th><th>concurrent operations</th></tr>
 * <tr><td>{@link Update}</td><td>the entry's observed dots, and a new one; the effect on the object</td><td>keeps the
 * entry; otherwise as the object's type says</td></tr>
 * <tr><td>{@link Remove}</td><td>the entry's observed dots; the reset of the object</td><td>undoes what it observed
 * only</td></tr>
 * <tr><td>{@link Batch}</td><td>of its parts, in order</td><td>as its parts</td></tr>
 * <tr><td>{@link Reset}</td><td>as the removal of every observed entry</td><td>likewise</td></tr>
 * </table>
 *
 * <p>Types that have no reset are held in a form that has one ({@link CrdtType#resettable}), so any
 * type can be nested and removed.
 *
 * <p>Value: an entry is there if some update of it was observed by no removal or reset. Its value
 * is what the object's type says of the updates that were not. So an entry whose object is empty or
 * 0 is there, and one whose updates were all removed is not. Space: the objects, and a dot per
 * entry and concurrent update.
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

  private static final int MIN_PART_BYTES = 1 + MapKey.MIN_BYTES;
  private static final int UPDATE = 0;
  private static final int REMOVE = 1;
  private static final int BATCH = 2;
  private static final int RESET = 3;

  private RecursiveResetMap() {}

  /** What can be done to the map. */
  public sealed interface Operation extends Nesting {}

  /** A part of a batch. */
  public sealed interface Part extends Operation {}

  /** Updates the object at a place. */
  public record Update<O>(MapKey<O, ?> place, O operation) implements Part {
    /** Checks the depth. */
    public Update {
      Nesting.check(operation);
    }

    @Override
    public int depth() {
      return Nesting.around(operation);
    }

    private void write(Encoder out) {
      place.write(out);
      place.writeOperation(operation, out);
    }
  }

  /** Removes the entry at a place; if it is not there nothing happens. */
  public record Remove(MapKey<?, ?> place) implements Part {
    @Override
    public int depth() {
      return 1;
    }
  }

  /** Does one thing after the other: a later part sees what an earlier one has done. */
  public record Batch(List<Part> parts) implements Operation {
    /** Copies the list. */
    public Batch {
      parts = List.copyOf(parts);
    }

    @Override
    public int depth() {
      return parts.stream().mapToInt(Part::depth).max().orElse(1);
    }
  }

  /** Removes all entries. */
  public record Reset() implements Operation {
    @Override
    public int depth() {
      return 1;
    }
  }

  /** What happens to some entries, one after the other. */
  public record Effect(List<Change<?, ?>> changes) {
    /** Copies the list. */
    public Effect {
      changes = List.copyOf(changes);
    }
  }

  /**
   * What happens to one entry.
   *
   * @param type the type of the place, in its resettable form
   * @param observed the entry's dots that go
   * @param added the one that comes, if any
   * @param effect what happens to the object
   */
  record Change<S, E>(
      MapKey<?, ?> place,
      CrdtType<S, ?, E, ?> type,
      DotSet observed,
      Optional<Dot> added,
      E effect) {
    State applyTo(State state, EffectOrigin origin) {
      return new State(
          state.entries.update(place, State.absent(type), entry -> applyTo(cast(entry), origin)));
    }

    @SuppressWarnings("unchecked") // the object at a place is of the type of the place
    private Entry<S> cast(Entry<?> entry) {
      return (Entry<S>) entry;
    }

    private Entry<S> applyTo(Entry<S> entry, EffectOrigin origin) {
      DotSet kept = entry.dots.withoutObserved(observed, origin);
      return new Entry<>(
          type,
          added.isPresent() ? kept.with(origin.resolve(added.get())) : kept,
          type.apply(entry.object, effect, origin));
    }

    boolean touches(Footprint.Entry entry) {
      return entry.isTouched(place, type, effect);
    }

    /** Without the type, which the place names. */
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

  /**
   * An entry.
   *
   * @param dots the updates that no other update and no removal has observed; none if the entry is
   *     not there and its object only remembers what it has to
   */
  record Entry<S>(CrdtType<S, ?, ?, ?> type, DotSet dots, S object) implements Hideable {
    @Override
    public boolean isVisible() {
      return !dots.isEmpty();
    }

    boolean isForgotten() {
      return dots.isEmpty() && object.equals(type.initial());
    }

    /** What a reader sees who asks for the object by a type of the same number. */
    @SuppressWarnings("unchecked") // types of one number have the same states
    Object value(CrdtType<?, ?, ?, ?> asked, VectorClock snapshot) {
      return ((CrdtType<S, ?, ?, ?>) asked).value(object, snapshot);
    }

    /** Itself if nothing is pruned, none if nothing is left. */
    Optional<Entry<?>> prune(VectorClock frontier) {
      S pruned = type.prune(object, frontier);
      Entry<S> left = pruned == object ? this : new Entry<>(type, dots, pruned);
      return left.isForgotten() ? Optional.empty() : Optional.of(left);
    }

    boolean isSettled() {
      return type.isSettled(object);
    }

    Change<?, ?> remove(MapKey<?, ?> place, OperationContext context) {
      return RecursiveResetMap.remove(place, type, this, context);
    }

    void write(Encoder out) {
      dots.write(out);
      out.enter();
      type.writeState(object, out);
      out.exit();
    }
  }

  /** The entries. */
  public record State(PersistentMap<MapKey<?, ?>, Entry<?>> entries) {
    @SuppressWarnings("unchecked") // the object at a place is of the type of the place
    private <S> Entry<S> entry(MapKey<?, ?> place, CrdtType<S, ?, ?, ?> type) {
      Entry<?> entry = entries.getForChange(place);
      return entry == null ? absent(type) : (Entry<S>) entry;
    }

    private static <S> Entry<S> absent(CrdtType<S, ?, ?, ?> type) {
      return new Entry<>(type, DotSet.EMPTY, type.initial());
    }

    @SuppressWarnings("ReferenceEquality") // a map that nothing has changed is the same object
    private State with(PersistentMap<MapKey<?, ?>, Entry<?>> changed) {
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

  /** Any object in the map may be one that expires. */
  @Override
  public boolean dependsOnTime() {
    return true;
  }

  @Override
  public Effect downstream(Operation operation, State state, OperationContext context) {
    if (operation instanceof Part part) {
      return new Effect(
          change(part, state, context).<List<Change<?, ?>>>map(List::of).orElse(List.of()));
    }
    return new Effect(
        operation instanceof Batch batch
            ? changes(batch, state, context)
            : removals(state, context));
  }

  private static List<Change<?, ?>> changes(Batch batch, State state, OperationContext context) {
    List<Change<?, ?>> changes = new ArrayList<>(batch.parts.size());
    State seen = state;
    Optional<Change<?, ?>> last = Optional.empty();
    for (Part part : batch.parts) {
      if (last.isPresent()) {
        seen = last.get().applyTo(seen, EffectOrigin.uncommitted(VectorClock.ZERO));
      }
      last = change(part, seen, context);
      last.ifPresent(changes::add);
    }
    return changes;
  }

  private static List<Change<?, ?>> removals(State state, OperationContext context) {
    List<Change<?, ?>> changes = new ArrayList<>(state.entries.size());
    state.entries.forEach((place, entry) -> changes.add(entry.remove(place, context)));
    return changes;
  }

  private static List<Part> partsOf(Operation operation) {
    if (operation instanceof Batch batch) {
      return batch.parts;
    }
    return operation instanceof Part part ? List.of(part) : List.of();
  }

  private static Optional<Change<?, ?>> change(Part part, State state, OperationContext context) {
    if (part instanceof Update<?> update) {
      return Optional.of(update(update, state, context));
    }
    MapKey<?, ?> place = ((Remove) part).place;
    Entry<?> entry = state.entries.getForChange(place);
    return entry == null ? Optional.empty() : Optional.of(entry.remove(place, context));
  }

  private static <O> Change<?, ?> update(Update<O> update, State state, OperationContext context) {
    return update(update, update.place.type().resettable(), state, context);
  }

  private static <S, O, E> Change<S, E> update(
      Update<O> update, CrdtType<S, O, E, ?> type, State state, OperationContext context) {
    Entry<S> entry = state.entry(update.place, type);
    Optional<Dot> added = Optional.of(context.dots().take());
    E effect = type.downstream(update.operation, entry.object, context);
    return new Change<>(update.place, type, entry.dots, added, effect);
  }

  private static <S, E> Change<S, E> remove(
      MapKey<?, ?> place, CrdtType<S, ?, E, ?> type, Entry<S> entry, OperationContext context) {
    E effect = type.downstreamReset(entry.object, context).orElseThrow();
    return new Change<>(place, type, entry.dots, Optional.empty(), effect);
  }

  @Override
  public List<Footprint> footprints(Operation operation) {
    return operation instanceof Reset
        ? List.of(Footprint.whole())
        : partsOf(operation).stream().flatMap(part -> footprints(part).stream()).toList();
  }

  private static List<Footprint> footprints(Part part) {
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
  public void writeOperation(Operation operation, Encoder out) {
    if (operation instanceof Update<?> update) {
      out.writeByte(UPDATE);
      update.write(out);
    } else if (operation instanceof Remove remove) {
      out.writeByte(REMOVE);
      remove.place.write(out);
    } else if (operation instanceof Batch batch) {
      out.writeByte(BATCH);
      out.writeUnsigned(batch.parts.size());
      batch.parts.forEach(part -> writeOperation(part, out));
    } else {
      out.writeByte(RESET);
    }
  }

  @Override
  public Operation readOperation(Decoder in) {
    int kind = in.readByte();
    return switch (kind) {
      case BATCH -> new Batch(in.readList(MIN_PART_BYTES, from -> readPart(from.readByte(), from)));
      case RESET -> new Reset();
      default -> readPart(kind, in);
    };
  }

  private static Part readPart(int kind, Decoder in) {
    return switch (kind) {
      case UPDATE -> readUpdate(MapKey.read(in), in);
      case REMOVE -> new Remove(MapKey.read(in));
      default ->
          throw new FormatException(
              "an operation on a map is of kind 0 to 3, and a part of one of kind 0 or 1, not "
                  + kind);
    };
  }

  private static <O> Update<O> readUpdate(MapKey<O, ?> place, Decoder in) {
    return new Update<>(place, place.readOperation(in));
  }

  @Override
  public void writeState(State state, Encoder out) {
    state.entries.write(out, MapKey::write, Entry::write, Entry::isSettled);
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

  private static <S> Entry<S> readEntry(CrdtType<S, ?, ?, ?> type, Decoder in) {
    DotSet dots = DotSet.read(in);
    in.enter();
    Entry<S> entry = new Entry<>(type, dots, type.readState(in));
    in.exit();
    if (entry.isForgotten()) {
      throw new FormatException("an entry that isn't there");
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
