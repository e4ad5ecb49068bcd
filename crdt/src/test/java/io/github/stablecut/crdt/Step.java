package io.github.stablecut.crdt;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;

/**
 * One step of a random history. Any list of steps is a history: references are taken modulo the
 * number of existing objects, and a step without one does nothing. So a failing history shrinks
 * step by step.
 */
public sealed interface Step<O> {
  int dataCentre();

  /**
   * Opens a transaction.
   *
   * @param lags how many known commit times each entry of its snapshot lags, if permitted
   */
  record Begin<O>(int dataCentre, List<Integer> lags) implements Step<O> {}

  /** Executes an operation in an open transaction, or in a new one if there is none. */
  record Operate<O>(int dataCentre, int transaction, O operation) implements Step<O> {}

  /** Commits an open transaction. */
  record Commit<O>(int dataCentre, int transaction) implements Step<O> {}

  /** Aborts an open transaction. */
  record Abort<O>(int dataCentre, int transaction) implements Step<O> {}

  /** Reads at a snapshot that may be old, folding in an order that extends causality. */
  record Read<O>(int dataCentre, List<Integer> lags, int order) implements Step<O> {}

  /** Sends the time and the min dependency to the others. */
  record Heartbeat<O>(int dataCentre) implements Step<O> {}

  /**
   * Receives messages of another data centre.
   *
   * @param again the number of old ones that the channel repeats first
   */
  record Receive<O>(int dataCentre, int from, int again, int count) implements Step<O> {}

  /**
   * All data centres receive everything, send a heartbeat, and receive the heartbeats.
   *
   * @param quiet whether all transactions are committed before
   */
  record Meet<O>(int dataCentre, boolean quiet) implements Step<O> {}

  /** Materializes and prunes a run at a vector that may lag, and encodes and decodes it. */
  record Checkpoint<O>(int dataCentre, List<Integer> lags) implements Step<O> {}

  /** Histories of up to {@code length} steps. */
  static <O> Arbitrary<List<Step<O>>> histories(Arbitrary<O> operations, int length) {
    return Step.<O>steps(operations)
        .list()
        .ofMaxSize(length)
        .withSizeDistribution(RandomDistribution.uniform());
  }

  private static <O> Arbitrary<Step<O>> steps(Arbitrary<O> operations) {
    Arbitrary<Integer> dataCentre = Arbitraries.integers().between(0, World.DATA_CENTRES - 1);
    Arbitrary<Integer> transaction = Arbitraries.integers().between(0, 3);
    Arbitrary<List<Integer>> lags =
        Arbitraries.frequency(Tuple.of(4, 0), Tuple.of(2, 1), Tuple.of(1, 2), Tuple.of(1, 5))
            .list()
            .ofSize(World.DATA_CENTRES);
    Arbitrary<Integer> order = Arbitraries.integers().between(0, 1000);
    Arbitrary<Integer> again = Arbitraries.integers().between(0, 2);
    Arbitrary<Integer> count = Arbitraries.integers().between(1, 6);
    return Arbitraries.frequencyOf(
        Tuple.of(4, Combinators.combine(dataCentre, lags).as(Begin<O>::new)),
        Tuple.of(10, Combinators.combine(dataCentre, transaction, operations).as(Operate<O>::new)),
        Tuple.of(6, Combinators.combine(dataCentre, transaction).as(Commit<O>::new)),
        Tuple.of(1, Combinators.combine(dataCentre, transaction).as(Abort<O>::new)),
        Tuple.of(2, Combinators.combine(dataCentre, lags, order).as(Read<O>::new)),
        Tuple.of(3, dataCentre.map(Heartbeat<O>::new)),
        Tuple.of(4, Combinators.combine(dataCentre, Arbitraries.of(false, true)).as(Meet<O>::new)),
        Tuple.of(7, Combinators.combine(dataCentre, dataCentre, again, count).as(Receive<O>::new)),
        Tuple.of(4, Combinators.combine(dataCentre, lags).as(Checkpoint<O>::new)));
  }
}
