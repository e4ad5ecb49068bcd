package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/**
 * What tests of maps know of the objects in them: a place and its type's specification, whatever
 * the type is.
 */
final class Places {
  private static final List<Bytes> KEYS = List.of(Bytes.EMPTY, Bytes.utf8("k"));

  private Places() {}

  /** The types that the test of a map uses: any two, so that operations meet. */
  static Arbitrary<List<CrdtType<?, ?, ?, ?>>> anyTwo() {
    return Arbitraries.of(CrdtTypes.all()).list().ofSize(2);
  }

  /** The types that tests put into maps in maps. */
  static Arbitrary<List<CrdtType<?, ?, ?, ?>>> innermost() {
    return Arbitraries.just(List.of(PnCounter.TYPE, RemoveWinsSet.TYPE, LwwRegister.TYPE));
  }

  /** An operation at a place with any of some types. */
  static <P> Arbitrary<P> operations(
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

  static Arbitrary<MapKey<Object, Object>> places(List<CrdtType<?, ?, ?, ?>> types) {
    return Arbitraries.of(KEYS).flatMap(key -> Arbitraries.of(types).map(type -> place(key, type)));
  }

  @SuppressWarnings("unchecked") // only given operations of the type
  private static MapKey<Object, Object> place(Bytes key, CrdtType<?, ?, ?, ?> type) {
    return new MapKey<>(key, (CrdtType<?, Object, ?, Object>) type);
  }

  static Specification<Object, Object, Object, Object> specification(
      MapKey<?, ?> place, int depth) {
    return untyped(Specification.of(place.type(), depth + 1));
  }

  @SuppressWarnings("unchecked") // only given operations and values of the type
  static Specification<Object, Object, Object, Object> untyped(
      Specification<?, ?, ?, ?> specification) {
    return (Specification<Object, Object, Object, Object>) specification;
  }

  /** An operation that makes sense for the object at a place of a map with some value. */
  static Object fit(MapKey<?, ?> place, Object operation, Map<MapKey<?, ?>, Object> value) {
    Specification<Object, Object, Object, Object> specification = specification(place, 0);
    CrdtType<Object, Object, Object, Object> type = specification.type();
    Object initial = type.value(type.initial(), VectorClock.ZERO);
    return specification.fit(operation, value.getOrDefault(place, initial));
  }
}
