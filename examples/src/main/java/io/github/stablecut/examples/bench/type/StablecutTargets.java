package io.github.stablecut.examples.bench.type;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import io.github.stablecut.crdt.register.LwwRegister;
import io.github.stablecut.crdt.set.AddWinsSet;
import java.util.List;
import java.util.Optional;

/** Stablecut's types without a store: an operation becomes an effect, which is applied. */
public final class StablecutTargets {
  private static final long BEGIN = Timestamp.countAt(1_700_000_000_000L);
  private static final VectorClock SNAPSHOT = LocalDataCentre.FIRST.at(Timestamp.of(BEGIN, 0));

  private StablecutTargets() {}

  /** Applies another operation in a transaction of its own. */
  private static <S, O, E> S after(CrdtType<S, O, E, ?> type, S state, O operation, long number) {
    OperationContext context = new OperationContext(0, SNAPSHOT, new SelfDots());
    EffectOrigin origin =
        new EffectOrigin(0, Timestamp.of(BEGIN + (number << 11), 0), VectorClock.ZERO);
    return type.apply(state, type.downstream(operation, state, context), origin);
  }

  /** An add-wins set. */
  public static final class Set implements TypeTarget {
    private final AddWinsSet.State state;
    private final java.util.Set<Bytes> value;

    public Set(List<Bytes> elements) {
      AddWinsSet.State added = AddWinsSet.TYPE.initial();
      long number = 0;
      for (Bytes element : elements) {
        added = after(AddWinsSet.TYPE, added, new AddWinsSet.Add(List.of(element)), ++number);
      }
      state = added;
      value = AddWinsSet.TYPE.value(state, SNAPSHOT);
    }

    @Override
    public Object put(Bytes name) {
      return after(AddWinsSet.TYPE, state, new AddWinsSet.Add(List.of(name)), 0);
    }

    @Override
    public Object remove(Bytes name) {
      return after(AddWinsSet.TYPE, state, new AddWinsSet.Remove(List.of(name)), 0);
    }

    @Override
    public Object get(Bytes name) {
      return value.contains(name);
    }

    public int encodedBytes() {
      return CrdtCodec.encodeState(AddWinsSet.TYPE, state).length;
    }
  }

  /** A recursive-reset map of last-writer-wins registers. */
  static final class Map implements TypeTarget {
    private static final Bytes VALUE = Bytes.utf8("another value");
    private final RecursiveResetMap.State state;
    private final java.util.Map<MapKey<?, ?>, Object> value;

    Map(List<Bytes> names) {
      RecursiveResetMap.State put = RecursiveResetMap.TYPE.initial();
      long number = 0;
      for (Bytes name : names) {
        put = after(RecursiveResetMap.TYPE, put, assignment(name, name), ++number);
      }
      state = put;
      value = RecursiveResetMap.TYPE.value(state, SNAPSHOT);
    }

    private static MapKey<LwwRegister.Operation, Optional<Bytes>> place(Bytes name) {
      return new MapKey<>(name, LwwRegister.TYPE);
    }

    private static RecursiveResetMap.Operation assignment(Bytes name, Bytes value) {
      return new RecursiveResetMap.Update<>(place(name), new LwwRegister.Assign(value));
    }

    @Override
    public Object put(Bytes name) {
      return after(RecursiveResetMap.TYPE, state, assignment(name, VALUE), 0);
    }

    @Override
    public Object remove(Bytes name) {
      return after(RecursiveResetMap.TYPE, state, new RecursiveResetMap.Remove(place(name)), 0);
    }

    @Override
    public Object get(Bytes name) {
      return place(name).in(value);
    }
  }

  /** A counter, which has no entries, so that every operation counts. */
  static final class Counter implements TypeTarget {
    private final long state = 1;

    @Override
    public Object put(Bytes name) {
      return after(PnCounter.TYPE, state, new PnCounter.Add(3), 0);
    }

    @Override
    public Object remove(Bytes name) {
      return after(PnCounter.TYPE, state, new PnCounter.Add(-3), 0);
    }

    @Override
    public Object get(Bytes name) {
      return PnCounter.TYPE.value(state, SNAPSHOT);
    }
  }
}
