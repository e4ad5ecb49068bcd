package io.github.stablecut.crdt.map;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Events;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.Places;
import io.github.stablecut.crdt.Samples;
import io.github.stablecut.crdt.Specification;
import io.github.stablecut.crdt.Step;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.map.GrowOnlyMap.EntryUpdate;
import io.github.stablecut.crdt.map.GrowOnlyMap.Update;
import io.github.stablecut.crdt.register.EnableWinsFlag;
import io.github.stablecut.crdt.register.MvRegister;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitrary;

/** A grow-only map: at each updated place, the meaning of its updates. */
public class GrowOnlyMapProperties
    extends Specification<
        GrowOnlyMap.State, Update, GrowOnlyMap.Effect, Map<MapKey<?, ?>, Object>> {
  private int depth;
  private Arbitrary<List<CrdtType<?, ?, ?, ?>>> types = Places.anyTwo();

  /** The specification of maps at this depth in other maps. */
  public static GrowOnlyMapProperties at(int depth) {
    GrowOnlyMapProperties specification = new GrowOnlyMapProperties();
    specification.depth = depth;
    specification.types = Places.innermost();
    return specification;
  }

  @Override
  public GrowOnlyMap type() {
    return GrowOnlyMap.TYPE;
  }

  @Override
  public List<Update> sample() {
    return List.of(
        Update.of(new MapKey<>(Samples.A, PnCounter.TYPE), new PnCounter.Add(5)),
        new Update(
            List.of(
                new EntryUpdate<>(
                    new MapKey<>(Samples.A, MvRegister.TYPE), new MvRegister.Assign(Samples.B)),
                new EntryUpdate<>(
                    new MapKey<>(Bytes.EMPTY, GrowOnlyMap.TYPE),
                    Update.of(
                        new MapKey<>(Samples.B, EnableWinsFlag.TYPE),
                        EnableWinsFlag.Operation.ENABLE)))));
  }

  @Override
  public Arbitrary<Update> operations() {
    return types.flatMap(this::operations);
  }

  private Arbitrary<Update> operations(List<CrdtType<?, ?, ?, ?>> types) {
    return Places.<EntryUpdate<?>>operations(types, depth, EntryUpdate<Object>::new)
        .list()
        .ofMaxSize(3)
        .map(Update::new);
  }

  @Override
  public Arbitrary<List<Step<Update>>> histories() {
    return types.flatMap(chosen -> Step.histories(operations(chosen), MAX_STEPS));
  }

  /** Its objects include expiring ones. */
  @Override
  public boolean mayForgetEarly() {
    return true;
  }

  @Override
  public Update fit(Update operation, Map<MapKey<?, ?>, Object> value) {
    return new Update(
        operation.parts().stream().<EntryUpdate<?>>map(part -> fit(part, value)).toList());
  }

  @SuppressWarnings("unchecked") // the operation belongs to the type
  private static <O> EntryUpdate<O> fit(EntryUpdate<O> part, Map<MapKey<?, ?>, Object> value) {
    return new EntryUpdate<>(part.place(), (O) Places.fit(part.place(), part.operation(), value));
  }

  @Override
  public boolean refuses(
      Events<Update> visible, Update operation, int dataCentre, VectorClock snapshot) {
    Events<Update> seen = visible;
    for (EntryUpdate<?> part : operation.parts()) {
      Events<Object> updates = updates(seen, part.place());
      if (Places.specification(part.place(), depth)
          .refuses(updates, part.operation(), dataCentre, snapshot)) {
        return true;
      }
      seen = seen.then(new Update(List.of(part)), dataCentre, snapshot);
    }
    return false;
  }

  @Override
  public Map<MapKey<?, ?>, Object> value(Events<Update> visible, VectorClock snapshot) {
    return places(visible).stream()
        .collect(
            toMap(
                place -> place,
                place ->
                    Places.specification(place, depth).value(updates(visible, place), snapshot)));
  }

  private static Set<MapKey<?, ?>> places(Events<Update> visible) {
    return visible
        .<EntryUpdate<?>>parts(Update::parts)
        .operations()
        .<MapKey<?, ?>>map(EntryUpdate::place)
        .collect(toSet());
  }

  private static Events<Object> updates(Events<Update> visible, MapKey<?, ?> place) {
    return visible
        .<EntryUpdate<?>>parts(Update::parts)
        .pick(parts -> parts.filter(part -> part.operation().place().equals(place)))
        .map(EntryUpdate::operation);
  }

  @Override
  public int maxBytes(Events<Update> visible, VectorClock frontier) {
    return Samples.COUNT_BYTES
        + places(visible).stream()
            .mapToInt(
                place ->
                    Samples.ELEMENT_BYTES
                        + Places.specification(place, depth)
                            .maxBytes(updates(visible, place), frontier))
            .sum();
  }

  /** A map keeps dots. */
  @Override
  public int maxBytesInMap(Events<Update> visible, VectorClock frontier) {
    int bytes = Samples.COUNT_BYTES;
    for (MapKey<?, ?> place : places(visible)) {
      Events<Object> updates = updates(visible, place);
      bytes += Samples.ELEMENT_BYTES + Samples.dotsBytes(Samples.newest(updates));
      bytes += Places.specification(place, depth).maxBytesInMap(updates, frontier);
    }
    return bytes;
  }
}
