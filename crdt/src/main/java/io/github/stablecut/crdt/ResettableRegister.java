package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import java.util.Optional;

/**
 * A {@link LwwRegister} that can be reset: a {@link MvRegister} read by its last assignment. This
 * is how maps and {@link Expiring} objects hold registers. It is smaller than the {@link
 * Resettable} form, because an assignment need not keep those it has observed: a reset that cancels
 * it cancels them too.
 */
final class ResettableRegister
    implements CrdtType<MvRegister.State, LwwRegister.Assign, MvRegister.Effect, Optional<Bytes>> {
  static final ResettableRegister TYPE = new ResettableRegister();

  private ResettableRegister() {}

  @Override
  public int typeId() {
    return LwwRegister.TYPE.typeId();
  }

  @Override
  public String name() {
    return LwwRegister.TYPE.name();
  }

  @Override
  public MvRegister.State initial() {
    return MvRegister.TYPE.initial();
  }

  @Override
  public boolean needsState(LwwRegister.Assign operation) {
    return true;
  }

  @Override
  public MvRegister.Effect downstream(
      LwwRegister.Assign operation, MvRegister.State state, OperationContext context) {
    return MvRegister.TYPE.downstream(new MvRegister.Assign(operation.value()), state, context);
  }

  @Override
  public Optional<MvRegister.Effect> downstreamReset(
      MvRegister.State state, OperationContext context) {
    return MvRegister.TYPE.downstreamReset(state, context);
  }

  @Override
  public CrdtType<?, LwwRegister.Assign, ?, Optional<Bytes>> resettable() {
    return this;
  }

  @Override
  public MvRegister.State apply(
      MvRegister.State state, MvRegister.Effect effect, EffectOrigin origin) {
    return MvRegister.TYPE.apply(state, effect, origin);
  }

  @Override
  public Optional<Bytes> value(MvRegister.State state, VectorClock snapshot) {
    return MvRegister.last(state);
  }

  @Override
  public MvRegister.State prune(MvRegister.State state, VectorClock frontier) {
    return MvRegister.TYPE.prune(state, frontier);
  }

  @Override
  public void writeState(MvRegister.State state, Encoder out) {
    MvRegister.TYPE.writeState(state, out);
  }

  @Override
  public MvRegister.State readState(Decoder in) {
    return MvRegister.TYPE.readState(in);
  }

  @Override
  public void writeEffect(MvRegister.Effect effect, Encoder out) {
    MvRegister.TYPE.writeEffect(effect, out);
  }

  @Override
  public MvRegister.Effect readEffect(Decoder in) {
    return MvRegister.TYPE.readEffect(in);
  }
}
