package io.github.stablecut.crdt.map;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Events;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.Places;
import io.github.stablecut.crdt.Samples;
import io.github.stablecut.crdt.Specification;
import io.github.stablecut.crdt.Step;
import io.github.stablecut.crdt.counter.BoundedCounter;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.map.RecursiveResetMap.Batch;
import io.github.stablecut.crdt.map.RecursiveResetMap.EntryOperation;
import io.github.stablecut.crdt.map.RecursiveResetMap.Operation;
import io.github.stablecut.crdt.map.RecursiveResetMap.Remove;
import io.github.stablecut.crdt.map.RecursiveResetMap.Reset;
import io.github.stablecut.crdt.map.RecursiveResetMap.Update;
import io.github.stablecut.crdt.register.LwwRegister;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Tuple;

/**
 * A recursive-reset map: at each place, the updates count that no removal of it and no reset has
 * seen; the entry exists if there are any, and its value is their meaning.
 */
public class RecursiveResetMapProperties
    extends Specification<
        RecursiveResetMap.State, Operation, RecursiveResetMap.Effect, Map<MapKey<?, ?>, Object>> {
  private int depth;
  private Arbitrary<List<CrdtType<?, ?, ?, ?>>> types = Places.anyTwo();

  /** The specification of maps at this depth in other maps. */
  public static RecursiveResetMapProperties at(int depth) {
    RecursiveResetMapProperties specification = new RecursiveResetMapProperties();
    specification.depth = depth;
    specification.types = Places.innermost();
    return specification;
  }

  /** The specification of maps, tested with objects of some types. */
  static RecursiveResetMapProperties with(CrdtType<?, ?, ?, ?>... types) {
    RecursiveResetMapProperties specification = new RecursiveResetMapProperties();
    specification.types = Arbitraries.just(List.of(types));
    return specification;
  }

  @Override
  public RecursiveResetMap type() {
    return RecursiveResetMap.TYPE;
  }

  @Override
  public List<Operation> sample() {
    return List.of(
        new Update<>(new MapKey<>(Samples.A, PnCounter.TYPE), new PnCounter.Add(5)),
        new Reset(),
        new Update<>(new MapKey<>(Samples.A, BoundedCounter.TYPE), new BoundedCounter.Increment(3)),
        new Remove(new MapKey<>(Samples.A, BoundedCounter.TYPE)),
        new Batch(
            List.of(
                new Update<>(
                    new MapKey<>(Samples.B, LwwRegister.TYPE), new LwwRegister.Assign(Samples.A)),
                new Update<>(
                    new MapKey<>(Bytes.EMPTY, RecursiveResetMap.TYPE),
                    new Update<>(
                        new MapKey<>(Samples.B, CounterMap.TYPE),
                        new CounterMap.Add(Map.of(Samples.A, 1L)))))));
  }

  @Override
  public Arbitrary<Operation> operations() {
    return types.flatMap(this::operations);
  }

  private Arbitrary<Operation> operations(List<CrdtType<?, ?, ?, ?>> types) {
    Arbitrary<EntryOperation> updates = Places.operations(types, depth, Update<Object>::new);
    Arbitrary<EntryOperation> removals = Places.places(types).map(Remove::new);
    Arbitrary<EntryOperation> parts =
        Arbitraries.frequencyOf(Tuple.of(2, updates), Tuple.of(1, removals));
    return Arbitraries.frequencyOf(
        Tuple.of(8, parts),
        Tuple.of(2, parts.list().ofMaxSize(4).map(Batch::new)),
        Tuple.of(1, Arbitraries.of(new Reset())));
  }

  @Override
  public Arbitrary<List<Step<Operation>>> histories() {
    return types.flatMap(chosen -> Step.histories(operations(chosen), MAX_STEPS));
  }

  /** Its objects include expiring ones. */
  @Override
  public boolean mayForgetEarly() {
    return true;
  }

  @Override
  public Operation fit(Operation operation, Map<MapKey<?, ?>, Object> value) {
    if (operation instanceof Update<?> update) {
      return fit(update, value);
    }
    return operation instanceof Batch batch
        ? new Batch(batch.parts().stream().map(part -> (EntryOperation) fit(part, value)).toList())
        : operation;
  }

  @SuppressWarnings("unchecked") // the operation belongs to the type
  private static <O> Update<O> fit(Update<O> update, Map<MapKey<?, ?>, Object> value) {
    return new Update<>(update.place(), (O) Places.fit(update.place(), update.operation(), value));
  }

  @Override
  public boolean refuses(
      Events<Operation> visible, Operation operation, int dataCentre, VectorClock snapshot) {
    Events<Operation> seen = visible;
    for (Operation part : partsOf(operation)) {
      if (part instanceof Update<?> update
          && Places.specification(update.place(), depth)
              .refuses(updates(seen, update.place()), update.operation(), dataCentre, snapshot)) {
        return true;
      }
      seen = seen.then(part, dataCentre, snapshot);
    }
    return false;
  }

  @Override
  public Map<MapKey<?, ?>, Object> value(Events<Operation> visible, VectorClock snapshot) {
    Map<MapKey<?, ?>, Object> value = new HashMap<>();
    places(visible)
        .forEach(
            (place, updates) ->
                value.put(place, Places.specification(place, depth).value(updates, snapshot)));
    return value;
  }

  /** The present places, each with the updates that count. */
  private static Map<MapKey<?, ?>, Events<Object>> places(Events<Operation> visible) {
    Map<MapKey<?, ?>, Events<Object>> places = new HashMap<>();
    visible
        .parts(RecursiveResetMapProperties::partsOf)
        .operations()
        .forEach(
            part -> {
              if (part instanceof Update<?> update) {
                places.put(update.place(), updates(visible, update.place()));
              }
            });
    places.values().removeIf(Events::isEmpty);
    return places;
  }

  private static Events<Object> updates(Events<Operation> visible, MapKey<?, ?> place) {
    return visible
        .parts(RecursiveResetMapProperties::partsOf)
        .pick(
            parts ->
                parts
                    .notFollowedBy(later -> removes(later, place))
                    .filter(part -> updates(part.operation(), place)))
        .map(part -> ((Update<?>) part).operation());
  }

  private static List<Operation> partsOf(Operation operation) {
    return operation instanceof Batch batch ? List.copyOf(batch.parts()) : List.of(operation);
  }

  private static boolean updates(Operation part, MapKey<?, ?> place) {
    return part instanceof Update<?> update && update.place().equals(place);
  }

  private static boolean removes(Operation part, MapKey<?, ?> place) {
    return part instanceof Reset || (part instanceof Remove remove && remove.place().equals(place));
  }

  /** No trace of absent entries. */
  @Override
  public int maxBytes(Events<Operation> visible, VectorClock frontier) {
    int bytes = Samples.COUNT_BYTES;
    for (Map.Entry<MapKey<?, ?>, Events<Object>> entry : places(visible).entrySet()) {
      bytes += Samples.ELEMENT_BYTES + Samples.dotsBytes(Samples.newest(entry.getValue()));
      bytes +=
          Places.specification(entry.getKey(), depth).maxBytesInMap(entry.getValue(), frontier);
    }
    return bytes;
  }
}
