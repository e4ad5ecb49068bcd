package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import org.jspecify.annotations.Nullable;

/** A type that delegates to another one; tests override one method to break it. */
public class Variant<S, O, E, V> implements CrdtType<S, O, E, V> {
  private final CrdtType<S, O, E, V> type;

  public Variant(CrdtType<S, O, E, V> type) {
    this.type = type;
  }

  @Override
  public int typeId() {
    return type.typeId();
  }

  @Override
  public String name() {
    return "broken " + type.name();
  }

  @Override
  public S initial() {
    return type.initial();
  }

  @Override
  public boolean needsState(O operation) {
    return type.needsState(operation);
  }

  @Override
  public boolean needsCertification(O operation) {
    return type.needsCertification(operation);
  }

  @Override
  public E downstream(O operation, S state, OperationContext context) {
    return type.downstream(operation, state, context);
  }

  @Override
  public S apply(S state, E effect, EffectOrigin origin) {
    return type.apply(state, effect, origin);
  }

  @Override
  public V value(S state, VectorClock snapshot) {
    return type.value(state, snapshot);
  }

  @Override
  public S prune(S state, VectorClock frontier) {
    return type.prune(state, frontier);
  }

  @Override
  public @Nullable O resetOperation() {
    return type.resetOperation();
  }

  @Override
  public void writeOperation(O operation, Encoder out) {
    type.writeOperation(operation, out);
  }

  @Override
  public O readOperation(Decoder in) {
    return type.readOperation(in);
  }

  @Override
  public void writeState(S state, Encoder out) {
    type.writeState(state, out);
  }

  @Override
  public S readState(Decoder in) {
    return type.readState(in);
  }

  @Override
  public void writeEffect(E effect, Encoder out) {
    type.writeEffect(effect, out);
  }

  @Override
  public E readEffect(Decoder in) {
    return type.readEffect(in);
  }
}
