package io.github.stablecut.cluster.internal.objects;

import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.register.DisableWinsFlag;
import io.github.stablecut.crdt.register.EnableWinsFlag;

/** The mapping of a flag. */
final class FlagMapping<O> extends TypeMapping<O, Boolean> {
  private final O enable;
  private final O disable;
  private final O reset;

  private FlagMapping(
      WireType wireType, CrdtType<?, O, ?, Boolean> type, O enable, O disable, O reset) {
    super(wireType, type);
    this.enable = enable;
    this.disable = disable;
    this.reset = reset;
  }

  /** {@code FLAG_EW}. */
  static FlagMapping<EnableWinsFlag.Operation> enableWins() {
    return new FlagMapping<>(
        WireType.FLAG_EW,
        EnableWinsFlag.TYPE,
        EnableWinsFlag.Operation.ENABLE,
        EnableWinsFlag.Operation.DISABLE,
        EnableWinsFlag.Operation.RESET);
  }

  /** {@code FLAG_DW}. */
  static FlagMapping<DisableWinsFlag.Operation> disableWins() {
    return new FlagMapping<>(
        WireType.FLAG_DW,
        DisableWinsFlag.TYPE,
        DisableWinsFlag.Operation.ENABLE,
        DisableWinsFlag.Operation.DISABLE,
        DisableWinsFlag.Operation.RESET);
  }

  private O set(boolean to) {
    return to ? enable : disable;
  }

  @Override
  O operation(WireOperation operation) {
    if (operation instanceof WireOperation.Flag flag) {
      return set(flag.value());
    } else if (operation instanceof WireOperation.Reset) {
      return reset;
    }
    throw refused(operation);
  }

  @Override
  WireValue wireValue(Boolean value) {
    return new WireValue.Flag(value);
  }
}
