package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.register.LwwRegister;
import io.github.stablecut.crdt.set.RemoveWinsSet;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/** The tests' view of objects in maps: a place and its type's specification, for any type. */
public final class Places {
  private static final List<Bytes> KEYS = List.of(Bytes.EMPTY, Bytes.utf8("k"));

  private Places() {}

  /** The types in the test of a map: any two, so that operations conflict. */
  public static Arbitrary<List<CrdtType<?, ?, ?, ?>>> anyTwo() {
    return Arbitraries.of(CrdtTypes.all()).list().ofSize(2);
  }

  /** The types inside maps in maps. */
  public static Arbitrary<List<CrdtType<?, ?, ?, ?>>> innermost() {
    return Arbitraries.just(List.of(PnCounter.TYPE, RemoveWinsSet.TYPE, LwwRegister.TYPE));
  }

  /** An operation at a place with any of some types. */
  public static <P> Arbitrary<P> operations(
      List<CrdtType<?, ?, ?, ?>> types,
      int depth,
      BiFunction<MapKey<Object, Object>, Object, P> at) {
    return places(types)
        .flatMap(
            place ->
                specification(place, depth)
                    .operations()
                    .map(operation -> at.apply(place, operation)));
  }

  public static Arbitrary<MapKey<Object, Object>> places(List<CrdtType<?, ?, ?, ?>> types) {
    return Arbitraries.of(KEYS).flatMap(key -> Arbitraries.of(types).map(type -> place(key, type)));
  }

  @SuppressWarnings("unchecked") // receives only operations of the type
  private static MapKey<Object, Object> place(Bytes key, CrdtType<?, ?, ?, ?> type) {
    return new MapKey<>(key, (CrdtType<?, Object, ?, Object>) type);
  }

  public static Specification<Object, Object, Object, Object> specification(
      MapKey<?, ?> place, int depth) {
    return untyped(Specification.of(place.type(), depth + 1));
  }

  @SuppressWarnings("unchecked") // receives only operations and values of the type
  static Specification<Object, Object, Object, Object> untyped(
      Specification<?, ?, ?, ?> specification) {
    return (Specification<Object, Object, Object, Object>) specification;
  }

  /** An operation that is valid for the object at a place of a map with the given value. */
  public static Object fit(MapKey<?, ?> place, Object operation, Map<MapKey<?, ?>, Object> value) {
    Specification<Object, Object, Object, Object> specification = specification(place, 0);
    CrdtType<Object, Object, Object, Object> type = specification.type();
    Object initial = type.value(type.initial(), VectorClock.ZERO);
    return specification.fit(operation, value.getOrDefault(place, initial));
  }
}
