package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.counter.BoundedCounter;
import io.github.stablecut.crdt.counter.BoundedCounterProperties;
import io.github.stablecut.crdt.map.GrowOnlyMap;
import io.github.stablecut.crdt.map.GrowOnlyMapProperties;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import io.github.stablecut.crdt.map.RecursiveResetMapProperties;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * The executable specification of a type, with the laws of {@link CrdtType} as properties. A
 * subclass defines the operations and the meaning of a set of events, as simply as possible; a new
 * type needs no other tests.
 *
 * <p>Random histories in a {@link World} check the laws. Values equal the specification after every
 * step, whatever has been pruned (laws 1, 4, and 7, because resets are among the operations): with
 * the own effects of open transactions (8), at old snapshots and from runs that lag (5). Another
 * order of folding gives the same bytes (2); nothing throws (3); states and effects survive their
 * encoding (6); the final state is as small as specified (9).
 */
public abstract class Specification<S, O, E, V> {
  /** The ordinary number of histories, as in junit-platform.properties. */
  static final int TRIES = 300;

  public static final int MAX_STEPS = 150;

  private static final int MAX_CONCURRENT = 12;

  public abstract CrdtType<S, O, E, V> type();

  /** Operations, on few enough elements that they conflict. */
  public abstract Arbitrary<O> operations();

  /** Some operations, one after the other, that make every kind of effect. */
  public abstract List<O> sample();

  /** The value for a reader that sees these events. */
  public abstract V value(Events<O> visible, VectorClock snapshot);

  /** The maximum size of the encoded state once all of these events are pruned at a frontier. */
  public abstract int maxBytes(Events<O> visible, VectorClock frontier);

  /** The same for an object in a map, where it may have to remember more. */
  public int maxBytesInMap(Events<O> visible, VectorClock frontier) {
    return maxBytes(visible, frontier) + 2;
  }

  /**
   * Whether the order of folding may affect how soon meaningless data is pruned: then states are
   * the same once everything is stable, and values always.
   */
  public boolean mayForgetEarly() {
    return false;
  }

  /** An operation that is valid for a value, such as one whose positions exist. */
  public O fit(O operation, V value) {
    return operation;
  }

  /** Whether the type has to refuse an operation of a transaction that sees these events. */
  public boolean refuses(Events<O> visible, O operation, int dataCentre, VectorClock snapshot) {
    return false;
  }

  /**
   * The specification of a type: the class of its name with "Properties" at the end.
   *
   * @param depth the number of enclosing maps
   */
  static Specification<?, ?, ?, ?> of(CrdtType<?, ?, ?, ?> type, int depth) {
    if (type instanceof Expiring<?, ?, ?, ?> expiring) {
      return ExpiringProperties.around(
          CrdtTypes.byId(expiring.type().typeId()).orElseThrow(), depth);
    }
    if (type instanceof GrowOnlyMap) {
      return GrowOnlyMapProperties.at(depth);
    }
    if (type instanceof RecursiveResetMap) {
      return RecursiveResetMapProperties.at(depth);
    }
    if (type instanceof BoundedCounter && depth > 0) {
      return BoundedCounterProperties.inMap();
    }
    try {
      var constructor =
          Class.forName(type.getClass().getName() + "Properties")
              .asSubclass(Specification.class)
              .getDeclaredConstructor();
      constructor.setAccessible(true);
      return constructor.newInstance();
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(type.name() + " has no specification", e);
    }
  }

  @Provide
  public Arbitrary<List<Step<O>>> histories() {
    return Step.histories(operations(), MAX_STEPS);
  }

  private static <O> List<O> operations(List<Step<O>> history) {
    return history.stream()
        .flatMap(
            step ->
                step instanceof Step.Operate<O> operate
                    ? Stream.of(operate.operation())
                    : Stream.<O>empty())
        .limit(MAX_CONCURRENT)
        .toList();
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void anUntouchedAnswerDoesNotChange(@ForAll("histories") List<Step<O>> history) {
    List<O> operations = operations(history);
    FootprintLaws<S, O, E, V> laws = new FootprintLaws<>(this);
    for (int i = 2; i <= operations.size(); i++) {
      laws.check(operations.subList(0, i - 2), operations.get(i - 2), operations.get(i - 1));
    }
  }

  @Property(tries = TRIES / 5, edgeCases = EdgeCasesMode.NONE)
  void theOperationOfAnEffectHasTheSameEffect(@ForAll("histories") List<Step<O>> history) {
    new EffectLaws<>(this).check(operations(history));
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void keepsTheLaws(@ForAll("histories") List<Step<O>> history) {
    new World<>(this, type()).run(history);
  }
}
