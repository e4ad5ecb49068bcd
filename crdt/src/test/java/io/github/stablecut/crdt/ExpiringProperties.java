package io.github.stablecut.crdt;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Expiring.ExpireAfter;
import io.github.stablecut.crdt.Expiring.ExpireAt;
import io.github.stablecut.crdt.Expiring.Operation;
import io.github.stablecut.crdt.Expiring.Persist;
import io.github.stablecut.crdt.Expiring.Reset;
import io.github.stablecut.crdt.Expiring.Update;
import io.github.stablecut.crdt.set.AddWinsSetProperties;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/**
 * An expiring object: the meaning of its updates that no reset has seen, and nothing once the last
 * of the unreplaced deadlines has passed. An operation on an object that has expired where it is
 * executed is a reset as well.
 */
class ExpiringProperties
    extends Specification<
        Expiring.State<Object>, Operation<Object>, Expiring.Effect<Object>, Object> {
  private static final long START = Timestamp.epochMillis(0);

  private Specification<Object, Object, Object, Object> inner =
      Places.untyped(new AddWinsSetProperties());

  /** The specification of expiring objects of a type. */
  static ExpiringProperties around(CrdtType<?, ?, ?, ?> type, int depth) {
    ExpiringProperties specification = new ExpiringProperties();
    specification.inner = Places.untyped(Specification.of(type, depth));
    return specification;
  }

  @Override
  @SuppressWarnings("unchecked") // receives only operations and values of the type
  public CrdtType<Expiring.State<Object>, Operation<Object>, Expiring.Effect<Object>, Object>
      type() {
    return (CrdtType<Expiring.State<Object>, Operation<Object>, Expiring.Effect<Object>, Object>)
        Expiring.of(inner.type());
  }

  @Override
  public List<Operation<Object>> sample() {
    List<Operation<Object>> sample = new ArrayList<>();
    sample.add(new ExpireAt<>(START + 3_600_000));
    sample.add(new Update<>(inner.sample().get(0)));
    sample.add(new Reset<>());
    sample.add(new ExpireAfter<>(Duration.ofMinutes(1)));
    sample.add(new Persist<>());
    sample.add(new ExpireAfter<>(Duration.ofMinutes(2)));
    inner.sample().forEach(operation -> sample.add(new Update<>(operation)));
    return sample;
  }

  @Override
  public Arbitrary<Operation<Object>> operations() {
    return Arbitraries.frequencyOf(
        Tuple.of(8, inner.operations().map(Update::new)),
        Tuple.of(2, Arbitraries.longs().between(0, 60).map(ms -> new ExpireAt<>(START + ms))),
        Tuple.of(
            2,
            Arbitraries.longs().between(1, 9).map(ms -> new ExpireAfter<>(Duration.ofMillis(ms)))),
        Tuple.of(1, Arbitraries.create(Persist::new)),
        Tuple.of(1, Arbitraries.create(Reset::new)));
  }

  /** A type and a history of expiring objects of it. */
  record TypedHistory(CrdtType<?, ?, ?, ?> type, List<Step<Operation<Object>>> history) {}

  @Provide
  Arbitrary<TypedHistory> cases() {
    return Arbitraries.of(CrdtTypes.all())
        .filter(type -> !(type instanceof Expiring<?, ?, ?, ?>))
        .flatMap(
            type -> around(type, 1).histories().map(history -> new TypedHistory(type, history)));
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void keepsTheLawsAroundAnyType(@ForAll("cases") TypedHistory any) {
    around(any.type, 1).keepsTheLaws(any.history);
  }

  /** A replica that prunes an expired object has no tombstones of its contents. */
  @Override
  public boolean mayForgetEarly() {
    return true;
  }

  @Override
  public Operation<Object> fit(Operation<Object> operation, Object value) {
    return operation instanceof Update<Object> update
        ? new Update<>(inner.fit(update.operation(), value))
        : operation;
  }

  @Override
  public boolean refuses(
      Events<Operation<Object>> visible,
      Operation<Object> operation,
      int dataCentre,
      VectorClock snapshot) {
    return operation instanceof Update<Object> update
        && inner.refuses(
            new Meaning().updates(visible, snapshot), update.operation(), dataCentre, snapshot);
  }

  @Override
  public Object value(Events<Operation<Object>> visible, VectorClock snapshot) {
    return inner.value(new Meaning().updates(visible, snapshot), snapshot);
  }

  @Override
  public int maxBytes(Events<Operation<Object>> visible, VectorClock frontier) {
    Meaning meaning = new Meaning();
    if (meaning.hasExpired(visible, frontier)) {
      return Samples.COUNT_BYTES + inner.maxBytesInMap(new Events<>(List.of()), frontier);
    }
    Events<Object> updates = meaning.updates(visible, VectorClock.ZERO);
    int deadlines = (int) meaning.deadlines(visible).stream().count();
    return Samples.COUNT_BYTES
        + 1
        + deadlines * (Samples.DOT_BYTES + Samples.NUMBER_BYTES)
        + inner.maxBytesInMap(updates, frontier);
  }

  /** The meaning of events; remembers which ones found the object expired. */
  private static final class Meaning {
    private final Map<Event<?>, Boolean> restarts = new HashMap<>();

    Events<Object> updates(Events<Operation<Object>> visible, VectorClock snapshot) {
      return hasExpired(visible, snapshot)
          ? new Events<>(List.of())
          : visible
              .pick(this::counting, this::restarts)
              .map(update -> ((Update<Object>) update).operation());
    }

    private Events<Operation<Object>> counting(Events<Operation<Object>> visible) {
      return visible
          .filter(event -> event.operation() instanceof Update)
          .filter(
              event -> !visible.anyMatch(later -> later.sees(event) && restarts(visible, later)));
    }

    boolean hasExpired(Events<Operation<Object>> visible, VectorClock snapshot) {
      return deadlines(visible).stream()
          .reduce((first, later) -> later)
          .filter(last -> deadline(last) <= Timestamp.epochMillis(snapshot.max()))
          .isPresent();
    }

    Events<Operation<Object>> deadlines(Events<Operation<Object>> visible) {
      return visible
          .filter(
              event ->
                  event.operation() instanceof ExpireAt || event.operation() instanceof ExpireAfter)
          .filter(
              event ->
                  !visible.anyMatch(
                      later ->
                          later.sees(event)
                              && (!(later.operation() instanceof Update)
                                  || restarts(visible, later))));
    }

    private boolean restarts(Events<Operation<Object>> visible, Event<Operation<Object>> event) {
      if (event.operation() instanceof Reset) {
        return true;
      }
      Boolean known = restarts.get(event);
      boolean expired = known == null ? hasExpired(visible.pastOf(event), event.snapshot()) : known;
      restarts.put(event, expired);
      return expired;
    }

    private static long deadline(Event<Operation<Object>> event) {
      return event.operation() instanceof ExpireAfter<Object> after
          ? Timestamp.epochMillis(event.snapshot().max()) + after.time().toMillis()
          : ((ExpireAt<Object>) event.operation()).epochMillis();
    }
  }
}
