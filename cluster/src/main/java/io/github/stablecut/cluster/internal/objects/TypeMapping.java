package io.github.stablecut.cluster.internal.objects;

import io.github.stablecut.Reader;
import io.github.stablecut.cluster.internal.antidote.BoundObject;
import io.github.stablecut.cluster.internal.antidote.ProtocolException;
import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.internal.transaction.InMemoryReads;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectKey;
import io.github.stablecut.key.Update;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Maps a data type of the protocol to the corresponding type of Stablecut. Immutable.
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
   * Converts an operation of the protocol.
   *
   * @throws ProtocolException if the type has no such operation
   */
  abstract O operation(WireOperation operation);

  /** Converts a value to the protocol. */
  abstract WireValue wireValue(V value);

  /** Converts an operation on an object to an update. */
  public final Update update(BoundObject object, WireOperation operation) {
    return key(object).update(operation(operation));
  }

  private ObjectKey<O, V> key(BoundObject object) {
    return Key.of(object.bucket(), object.key(), type);
  }

  /** Reads the value of an object. */
  public final WireValue read(Reader reader, BoundObject object) {
    return wireValue(reader.read(key(object)));
  }

  /** Reads the value of an object; empty if it is not in memory. */
  public final Optional<WireValue> find(InMemoryReads reads, BoundObject object) {
    return reads.find(key(object)).map(this::wireValue);
  }

  /** Reads the value of an object on another node, as {@link InMemoryReads#ask} does. */
  public final Optional<CompletableFuture<WireValue>> ask(InMemoryReads reads, BoundObject object) {
    return reads.ask(key(object)).map(reply -> reply.thenApply(this::wireValue));
  }

  /** Converts a value of this type, whose static type is unknown, to the protocol. */
  @SuppressWarnings("unchecked") // a value of this type
  final WireValue valueToWire(Object value) {
    return wireValue((V) value);
  }

  /** The exception for an operation that the type lacks. */
  final ProtocolException refused(WireOperation operation) {
    return new ProtocolException(
        "a %s has no operation %s: see the table of types and operations of the protocol"
            .formatted(wireType, name(operation)));
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
