package io.github.stablecut.cluster.internal.objects;

import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.crdt.AddWinsSet;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.RemoveWinsSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.function.Function;

/** A set. */
final class SetMapping<O> extends TypeMapping<O, NavigableSet<Bytes>> {
  private final Function<List<Bytes>, O> add;
  private final Function<List<Bytes>, O> remove;
  private final O reset;
  private final Function<O, WireOperation> toWire;

  private SetMapping(
      WireType wireType,
      CrdtType<?, O, ?, NavigableSet<Bytes>> type,
      Function<List<Bytes>, O> add,
      Function<List<Bytes>, O> remove,
      O reset,
      Function<O, WireOperation> toWire) {
    super(wireType, type);
    this.add = add;
    this.remove = remove;
    this.reset = reset;
    this.toWire = toWire;
  }

  /** {@code ORSET}. */
  static SetMapping<AddWinsSet.Operation> addWins() {
    return new SetMapping<>(
        WireType.ORSET,
        AddWinsSet.TYPE,
        AddWinsSet.Add::new,
        AddWinsSet.Remove::new,
        new AddWinsSet.Reset(),
        SetMapping::toWire);
  }

  /** {@code RWSET}. */
  static SetMapping<RemoveWinsSet.Operation> removeWins() {
    return new SetMapping<>(
        WireType.RWSET,
        RemoveWinsSet.TYPE,
        RemoveWinsSet.Add::new,
        RemoveWinsSet.Remove::new,
        new RemoveWinsSet.Reset(),
        SetMapping::toWire);
  }

  private static WireOperation toWire(AddWinsSet.Operation operation) {
    if (operation instanceof AddWinsSet.Add add) {
      return new WireOperation.Elements(true, add.elements());
    } else if (operation instanceof AddWinsSet.Remove remove) {
      return new WireOperation.Elements(false, remove.elements());
    }
    return new WireOperation.Reset();
  }

  private static WireOperation toWire(RemoveWinsSet.Operation operation) {
    if (operation instanceof RemoveWinsSet.Add add) {
      return new WireOperation.Elements(true, add.elements());
    } else if (operation instanceof RemoveWinsSet.Remove remove) {
      return new WireOperation.Elements(false, remove.elements());
    }
    return new WireOperation.Reset();
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
  WireOperation wireOperation(O operation) {
    return toWire.apply(operation);
  }

  @Override
  WireValue wireValue(NavigableSet<Bytes> value) {
    return new WireValue.Elements(List.copyOf(value));
  }

  @Override
  List<List<O>> histories(WireValue value) {
    if (value instanceof WireValue.Elements elements) {
      return List.of(List.of(add.apply(elements.elements())));
    }
    throw refused(value);
  }
}
