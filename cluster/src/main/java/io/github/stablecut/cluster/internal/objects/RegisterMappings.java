package io.github.stablecut.cluster.internal.objects;

import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.LwwRegister;
import io.github.stablecut.crdt.MvRegister;
import java.util.List;
import java.util.Optional;

/** Registers. */
final class RegisterMappings {
  private RegisterMappings() {}

  /** {@code LWWREG}: no value and the empty value look the same. */
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
    WireOperation wireOperation(LwwRegister.Operation operation) {
      return operation instanceof LwwRegister.Assign assign
          ? new WireOperation.Assign(assign.value())
          : new WireOperation.Reset();
    }

    @Override
    WireValue wireValue(Optional<Bytes> value) {
      return new WireValue.Register(value.orElse(Bytes.EMPTY));
    }

    @Override
    List<List<LwwRegister.Operation>> histories(WireValue value) {
      if (value instanceof WireValue.Register register) {
        return List.of(List.of(new LwwRegister.Assign(register.value())));
      }
      throw refused(value);
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
    WireOperation wireOperation(MvRegister.Operation operation) {
      return operation instanceof MvRegister.Assign assign
          ? new WireOperation.Assign(assign.value())
          : new WireOperation.Reset();
    }

    @Override
    WireValue wireValue(List<Bytes> value) {
      return new WireValue.Registers(value);
    }

    @Override
    List<List<MvRegister.Operation>> histories(WireValue value) {
      if (value instanceof WireValue.Registers registers) {
        return registers.values().isEmpty()
            ? List.of(List.of(new MvRegister.Reset()))
            : registers.values().stream()
                .map(one -> List.<MvRegister.Operation>of(new MvRegister.Assign(one)))
                .toList();
      }
      throw refused(value);
    }
  }
}
