package io.github.stablecut.crdt.counter;

import static java.math.BigInteger.ZERO;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Events;
import io.github.stablecut.crdt.Samples;
import io.github.stablecut.crdt.Specification;
import io.github.stablecut.crdt.World;
import io.github.stablecut.crdt.counter.BoundedCounter.Decrement;
import io.github.stablecut.crdt.counter.BoundedCounter.Increment;
import io.github.stablecut.crdt.counter.BoundedCounter.Operation;
import io.github.stablecut.crdt.counter.BoundedCounter.Transfer;
import java.math.BigInteger;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/**
 * A bounded counter: the sum of the data centres' rights, each of which has what it has added and
 * received, less what it has subtracted and transferred.
 */
public class BoundedCounterProperties
    extends Specification<BoundedCounter.State, Operation, BoundedCounter.Effect, Long> {
  private static final BigInteger MAX = BigInteger.valueOf(Long.MAX_VALUE);

  /** Whether a decrement may outlive its increments, as in a map that removes. */
  private boolean inMap;

  /** The specification of bounded counters in maps. */
  public static BoundedCounterProperties inMap() {
    BoundedCounterProperties specification = new BoundedCounterProperties();
    specification.inMap = true;
    return specification;
  }

  @Override
  public BoundedCounter type() {
    return BoundedCounter.TYPE;
  }

  @Override
  public List<Operation> sample() {
    return List.of(new Increment(10), new Transfer(3, 1), new Decrement(2));
  }

  @Override
  public Arbitrary<Operation> operations() {
    Arbitrary<Long> small = Arbitraries.longs().between(1, 4);
    Arbitrary<Long> amount =
        Arbitraries.frequencyOf(Tuple.of(20, small), Tuple.of(1, Arbitraries.of(Long.MAX_VALUE)));
    Arbitrary<Integer> to = Arbitraries.integers().between(0, World.DATA_CENTRES - 1);
    return Arbitraries.frequencyOf(
        Tuple.of(3, amount.map(Increment::new)),
        Tuple.of(3, amount.map(Decrement::new)),
        Tuple.of(2, Combinators.combine(amount, to).as(Transfer::new)));
  }

  @Override
  public boolean refuses(
      Events<Operation> visible, Operation operation, int here, VectorClock snapshot) {
    if (operation instanceof Increment) {
      return false;
    }
    long needed =
        operation instanceof Decrement decrement
            ? decrement.amount()
            : ((Transfer) operation).amount();
    return BigInteger.valueOf(needed).compareTo(rights(visible, here)) > 0;
  }

  @Override
  public Long value(Events<Operation> visible, VectorClock snapshot) {
    return IntStream.range(0, World.DATA_CENTRES)
        .mapToObj(dataCentre -> rights(visible, dataCentre))
        .map(rights -> inMap ? rights.max(ZERO) : rights)
        .reduce(ZERO, BigInteger::add)
        .min(MAX)
        .longValue();
  }

  private static BigInteger rights(Events<Operation> visible, int here) {
    BigInteger rights =
        sum(visible, here, operation -> operation instanceof Increment add ? add.amount() : 0)
            .subtract(used(visible, here));
    for (int other = 0; other < World.DATA_CENTRES; other++) {
      rights = rights.add(moved(visible, other, here)).subtract(moved(visible, here, other));
    }
    return rights;
  }

  private static BigInteger used(Events<Operation> visible, int here) {
    return sum(visible, here, operation -> operation instanceof Decrement take ? take.amount() : 0);
  }

  private static BigInteger moved(Events<Operation> visible, int from, int to) {
    return from == to
        ? ZERO
        : sum(
            visible,
            from,
            operation -> operation instanceof Transfer give && give.to() == to ? give.amount() : 0);
  }

  private static BigInteger sum(
      Events<Operation> visible, int dataCentre, ToLongFunction<Operation> amount) {
    return visible.stream()
        .filter(event -> event.dataCentre() == dataCentre)
        .map(event -> BigInteger.valueOf(amount.applyAsLong(event.operation())))
        .reduce(ZERO, BigInteger::add);
  }

  @Override
  public int maxBytes(Events<Operation> visible, VectorClock frontier) {
    // A sum above 2^63-1 is written as three numbers, two of which take one byte.
    int each = 1 + World.DATA_CENTRES * (2 + 2 + Samples.NUMBER_BYTES);
    return 2 + each * (2 + World.DATA_CENTRES);
  }
}
