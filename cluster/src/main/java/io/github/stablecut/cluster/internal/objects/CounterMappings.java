package io.github.stablecut.cluster.internal.objects;

import io.github.stablecut.client.NotInProtocolException;
import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.crdt.BoundedCounter;
import io.github.stablecut.crdt.FatCounter;
import io.github.stablecut.crdt.PnCounter;
import java.util.List;

/** Counters. */
final class CounterMappings {
  private CounterMappings() {}

  private static long amount(TypeMapping<?, ?> type, WireValue value) {
    if (value instanceof WireValue.Count count) {
      return count.value();
    }
    throw type.refused(value);
  }

  /** {@code COUNTER}. */
  static final class Plain extends TypeMapping<PnCounter.Add, Long> {
    Plain() {
      super(WireType.COUNTER, PnCounter.TYPE);
    }

    @Override
    PnCounter.Add operation(WireOperation operation) {
      if (operation instanceof WireOperation.Count count) {
        return new PnCounter.Add(count.amount());
      }
      throw refused(operation);
    }

    @Override
    WireOperation wireOperation(PnCounter.Add operation) {
      return new WireOperation.Count(operation.amount());
    }

    @Override
    WireValue wireValue(Long value) {
      return new WireValue.Count(value);
    }

    @Override
    List<List<PnCounter.Add>> histories(WireValue value) {
      return List.of(List.of(new PnCounter.Add(amount(this, value))));
    }
  }

  /** {@code FATCOUNTER}. */
  static final class Fat extends TypeMapping<FatCounter.Operation, Long> {
    Fat() {
      super(WireType.FATCOUNTER, FatCounter.TYPE);
    }

    @Override
    FatCounter.Operation operation(WireOperation operation) {
      if (operation instanceof WireOperation.Count count) {
        return new FatCounter.Add(count.amount());
      } else if (operation instanceof WireOperation.Reset) {
        return new FatCounter.Reset();
      }
      throw refused(operation);
    }

    @Override
    WireOperation wireOperation(FatCounter.Operation operation) {
      return operation instanceof FatCounter.Add add
          ? new WireOperation.Count(add.amount())
          : new WireOperation.Reset();
    }

    @Override
    WireValue wireValue(Long value) {
      return new WireValue.Count(value);
    }

    @Override
    List<List<FatCounter.Operation>> histories(WireValue value) {
      return List.of(List.of(new FatCounter.Add(amount(this, value))));
    }
  }

  /** {@code BCOUNTER}: {@code counterop} adds rights and value, or spends both. */
  static final class Bounded extends TypeMapping<BoundedCounter.Operation, Long> {
    Bounded() {
      super(WireType.BCOUNTER, BoundedCounter.TYPE);
    }

    @Override
    BoundedCounter.Operation operation(WireOperation operation) {
      if (operation instanceof WireOperation.Count count) {
        return count.amount() >= 0
            ? new BoundedCounter.Increment(count.amount())
            : new BoundedCounter.Decrement(-count.amount());
      }
      throw refused(operation);
    }

    @Override
    WireOperation wireOperation(BoundedCounter.Operation operation) {
      if (operation instanceof BoundedCounter.Increment increment) {
        return new WireOperation.Count(increment.amount());
      } else if (operation instanceof BoundedCounter.Decrement decrement) {
        return new WireOperation.Count(-decrement.amount());
      }
      throw new NotInProtocolException(
          "the protocol has no transfer of a bounded counter's rights: transfer in the server's process");
    }

    @Override
    WireValue wireValue(Long value) {
      return new WireValue.Count(value);
    }

    @Override
    List<List<BoundedCounter.Operation>> histories(WireValue value) {
      long amount = amount(this, value);
      return amount == 0
          ? List.of(List.of(new BoundedCounter.Increment(1), new BoundedCounter.Decrement(1)))
          : List.of(List.of(new BoundedCounter.Increment(amount)));
    }
  }
}
