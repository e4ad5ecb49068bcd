package io.github.stablecut.cluster.internal.objects;

import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.set.AddWinsSet;
import io.github.stablecut.crdt.set.RemoveWinsSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.function.Function;

/** The mapping of a set. */
final class SetMapping<O> extends TypeMapping<O, NavigableSet<Bytes>> {
  private final Function<List<Bytes>, O> add;
  private final Function<List<Bytes>, O> remove;
  private final O reset;

  private SetMapping(
      WireType wireType,
      CrdtType<?, O, ?, NavigableSet<Bytes>> type,
      Function<List<Bytes>, O> add,
      Function<List<Bytes>, O> remove,
      O reset) {
    super(wireType, type);
    this.add = add;
    this.remove = remove;
    this.reset = reset;
  }

  /** {@code ORSET}. */
  static SetMapping<AddWinsSet.Operation> addWins() {
    return new SetMapping<>(
        WireType.ORSET,
        AddWinsSet.TYPE,
        AddWinsSet.Add::new,
        AddWinsSet.Remove::new,
        new AddWinsSet.Reset());
  }

  /** {@code RWSET}. */
  static SetMapping<RemoveWinsSet.Operation> removeWins() {
    return new SetMapping<>(
        WireType.RWSET,
        RemoveWinsSet.TYPE,
        RemoveWinsSet.Add::new,
        RemoveWinsSet.Remove::new,
        new RemoveWinsSet.Reset());
  }

  @Override
  O operation(WireOperation operation) {
    if (operation instanceof WireOperation.Elements elements) {
      return (elements.add() ? add : remove).apply(elements.elements());
    } else if (operation instanceof WireOperation.Reset) {
      return reset;
    }
    throw refused(operation);
  }

  @Override
  WireValue wireValue(NavigableSet<Bytes> value) {
    return new WireValue.Elements(List.copyOf(value));
  }
}
