package io.github.stablecut.cluster.internal.objects;

import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.crdt.DisableWinsFlag;
import io.github.stablecut.crdt.EnableWinsFlag;
import java.util.List;

/** Flags. */
final class FlagMappings {
  private FlagMappings() {}

  private static boolean isSet(TypeMapping<?, ?> type, WireValue value) {
    if (value instanceof WireValue.Flag flag) {
      return flag.value();
    }
    throw type.refused(value);
  }

  /** {@code FLAG_EW}. */
  static final class EnableWins extends TypeMapping<EnableWinsFlag.Operation, Boolean> {
    EnableWins() {
      super(WireType.FLAG_EW, EnableWinsFlag.TYPE);
    }

    private static EnableWinsFlag.Operation of(boolean set) {
      return set ? EnableWinsFlag.Operation.ENABLE : EnableWinsFlag.Operation.DISABLE;
    }

    @Override
    EnableWinsFlag.Operation operation(WireOperation operation) {
      if (operation instanceof WireOperation.Flag flag) {
        return of(flag.value());
      } else if (operation instanceof WireOperation.Reset) {
        return EnableWinsFlag.Operation.RESET;
      }
      throw refused(operation);
    }

    @Override
    WireOperation wireOperation(EnableWinsFlag.Operation operation) {
      return operation == EnableWinsFlag.Operation.RESET
          ? new WireOperation.Reset()
          : new WireOperation.Flag(operation == EnableWinsFlag.Operation.ENABLE);
    }

    @Override
    WireValue wireValue(Boolean value) {
      return new WireValue.Flag(value);
    }

    @Override
    List<List<EnableWinsFlag.Operation>> histories(WireValue value) {
      return List.of(List.of(of(isSet(this, value))));
    }
  }

  /** {@code FLAG_DW}. */
  static final class DisableWins extends TypeMapping<DisableWinsFlag.Operation, Boolean> {
    DisableWins() {
      super(WireType.FLAG_DW, DisableWinsFlag.TYPE);
    }

    private static DisableWinsFlag.Operation of(boolean set) {
      return set ? DisableWinsFlag.Operation.ENABLE : DisableWinsFlag.Operation.DISABLE;
    }

    @Override
    DisableWinsFlag.Operation operation(WireOperation operation) {
      if (operation instanceof WireOperation.Flag flag) {
        return of(flag.value());
      } else if (operation instanceof WireOperation.Reset) {
        return DisableWinsFlag.Operation.RESET;
      }
      throw refused(operation);
    }

    @Override
    WireOperation wireOperation(DisableWinsFlag.Operation operation) {
      return operation == DisableWinsFlag.Operation.RESET
          ? new WireOperation.Reset()
          : new WireOperation.Flag(operation == DisableWinsFlag.Operation.ENABLE);
    }

    @Override
    WireValue wireValue(Boolean value) {
      return new WireValue.Flag(value);
    }

    @Override
    List<List<DisableWinsFlag.Operation>> histories(WireValue value) {
      return List.of(List.of(of(isSet(this, value))));
    }
  }
}
