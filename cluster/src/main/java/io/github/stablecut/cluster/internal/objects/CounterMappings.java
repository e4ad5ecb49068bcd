package io.github.stablecut.cluster.internal.objects;

import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.crdt.counter.BoundedCounter;
import io.github.stablecut.crdt.counter.FatCounter;
import io.github.stablecut.crdt.counter.PnCounter;

/** Mappings of the counters. */
final class CounterMappings {
  private CounterMappings() {}

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
    WireValue wireValue(Long value) {
      return new WireValue.Count(value);
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
    WireValue wireValue(Long value) {
      return new WireValue.Count(value);
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
    WireValue wireValue(Long value) {
      return new WireValue.Count(value);
    }
  }
}
