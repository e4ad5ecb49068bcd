package io.github.stablecut.cluster.internal.objects;

import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.register.LwwRegister;
import io.github.stablecut.crdt.register.MvRegister;
import java.util.List;
import java.util.Optional;

/** Mappings of the registers. */
final class RegisterMappings {
  private RegisterMappings() {}

  /** {@code LWWREG}: the protocol shows no value as an empty one. */
  static final class LastWriterWins extends TypeMapping<LwwRegister.Operation, Optional<Bytes>> {
    LastWriterWins() {
      super(WireType.LWWREG, LwwRegister.TYPE);
    }

    @Override
    LwwRegister.Operation operation(WireOperation operation) {
      if (operation instanceof WireOperation.Assign assign) {
        return new LwwRegister.Assign(assign.value());
      } else if (operation instanceof WireOperation.Reset) {
        return new LwwRegister.Clear();
      }
      throw refused(operation);
    }

    @Override
    WireValue wireValue(Optional<Bytes> value) {
      return new WireValue.Register(value.orElse(Bytes.EMPTY));
    }
  }

  /** {@code MVREG}. */
  static final class MultiValue extends TypeMapping<MvRegister.Operation, List<Bytes>> {
    MultiValue() {
      super(WireType.MVREG, MvRegister.TYPE);
    }

    @Override
    MvRegister.Operation operation(WireOperation operation) {
      if (operation instanceof WireOperation.Assign assign) {
        return new MvRegister.Assign(assign.value());
      } else if (operation instanceof WireOperation.Reset) {
        return new MvRegister.Reset();
      }
      throw refused(operation);
    }

    @Override
    WireValue wireValue(List<Bytes> value) {
      return new WireValue.Registers(value);
    }
  }
}
