package io.github.stablecut.cluster.internal.objects;

import io.github.stablecut.Reader;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.antidote.BoundObject;
import io.github.stablecut.cluster.internal.antidote.ProtocolException;
import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.internal.transaction.ReadsInMemory;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectKey;
import io.github.stablecut.key.Update;
import java.util.List;
import java.util.Optional;

/**
 * A data type of the protocol and the one of Stablecut that stands for it. Immutable.
 *
 * @param <O> the operations
 * @param <V> the values
 */
public abstract class TypeMapping<O, V> {
  private final WireType wireType;
  private final CrdtType<?, O, ?, V> type;

  TypeMapping(WireType wireType, CrdtType<?, O, ?, V> type) {
    this.wireType = wireType;
    this.type = type;
  }

  /** The type in the protocol. */
  public final WireType wireType() {
    return wireType;
  }

  final CrdtType<?, O, ?, V> type() {
    return type;
  }

  /**
   * An operation of the protocol.
   *
   * @throws ProtocolException if the type has no such operation
   */
  abstract O operation(WireOperation operation);

  /**
   * An operation in the protocol.
   *
   * @throws io.github.stablecut.client.NotInProtocolException if the protocol has no such one
   */
  abstract WireOperation wireOperation(O operation);

  /** A value in the protocol. */
  abstract WireValue wireValue(V value);

  /**
   * What was done to an object that has a value: concurrent branches, each with operations one
   * after the other.
   */
  abstract List<List<O>> histories(WireValue value);

  /** An operation on an object. */
  public final Update update(BoundObject object, WireOperation operation) {
    return key(object).update(operation(operation));
  }

  private ObjectKey<O, V> key(BoundObject object) {
    return Key.of(object.bucket(), object.key(), type);
  }

  /** The value of an object. */
  public final WireValue read(Reader reader, BoundObject object) {
    return wireValue(reader.read(key(object)));
  }

  /** The value of an object; empty if it is not in memory. */
  public final Optional<WireValue> find(ReadsInMemory reads, BoundObject object) {
    return reads.find(key(object)).map(this::wireValue);
  }

  /** An operation of this type, whose class is not known, in the protocol. */
  @SuppressWarnings("unchecked") // an operation of this type
  public final WireOperation operationToWire(Object operation) {
    return wireOperation((O) operation);
  }

  /** A value of this type, whose class is not known, in the protocol. */
  @SuppressWarnings("unchecked") // a value of this type
  final WireValue valueToWire(Object value) {
    return wireValue((V) value);
  }

  /** A state that shows a value: one of those that an object with it can have. */
  public final Object state(WireValue value) {
    return state(type, value);
  }

  private <S, E> S state(CrdtType<S, O, E, V> of, WireValue value) {
    S state = of.initial();
    if (value.equals(wireValue(of.value(state, VectorClock.ZERO)))) {
      return state;
    }
    OperationContext context = new OperationContext(0, VectorClock.ZERO, new SelfDots());
    EffectOrigin origin = EffectOrigin.uncommitted(VectorClock.ZERO);
    for (List<O> branch : histories(value)) {
      S seen = of.initial();
      for (O operation : branch) {
        E effect = of.downstream(operation, seen, context);
        seen = of.apply(seen, effect, origin);
        state = of.apply(state, effect, origin);
      }
    }
    return state;
  }

  /** What is thrown for an operation that the type hasn't. */
  final ProtocolException refused(WireOperation operation) {
    return new ProtocolException(
        "a %s has no operation %s: see the table of types and operations of the protocol"
            .formatted(wireType, name(operation)));
  }

  /** What is thrown for a value that the type can't have. */
  final ProtocolException refused(WireValue value) {
    return new ProtocolException(
        "the server sent a value of the wrong kind for a " + wireType + ": " + value);
  }

  private static String name(WireOperation operation) {
    if (operation instanceof WireOperation.Count) {
      return "counterop";
    } else if (operation instanceof WireOperation.Elements) {
      return "setop";
    } else if (operation instanceof WireOperation.Assign) {
      return "regop";
    } else if (operation instanceof WireOperation.Flag) {
      return "flagop";
    }
    return operation instanceof WireOperation.Reset ? "resetop" : "mapop";
  }
}
