package io.github.stablecut.cluster.internal.objects;

import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.crdt.AddWinsSet;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.RemoveWinsSet;
import java.util.List;
import java.util.Set;

/** Sets. */
final class SetMappings {
  private SetMappings() {}

  private static WireValue ascending(Set<Bytes> elements) {
    return new WireValue.Elements(List.copyOf(elements));
  }

  private static List<Bytes> elements(TypeMapping<?, ?> type, WireValue value) {
    if (value instanceof WireValue.Elements elements) {
      return elements.elements();
    }
    throw type.refused(value);
  }

  /** {@code ORSET}. */
  static final class AddWins extends TypeMapping<AddWinsSet.Operation, Set<Bytes>> {
    AddWins() {
      super(WireType.ORSET, AddWinsSet.TYPE);
    }

    @Override
    AddWinsSet.Operation operation(WireOperation operation) {
      if (operation instanceof WireOperation.Elements elements) {
        return elements.add()
            ? new AddWinsSet.Add(elements.elements())
            : new AddWinsSet.Remove(elements.elements());
      } else if (operation instanceof WireOperation.Reset) {
        return new AddWinsSet.Reset();
      }
      throw refused(operation);
    }

    @Override
    WireOperation wireOperation(AddWinsSet.Operation operation) {
      if (operation instanceof AddWinsSet.Add add) {
        return new WireOperation.Elements(true, add.elements());
      } else if (operation instanceof AddWinsSet.Remove remove) {
        return new WireOperation.Elements(false, remove.elements());
      }
      return new WireOperation.Reset();
    }

    @Override
    WireValue wireValue(Set<Bytes> value) {
      return ascending(value);
    }

    @Override
    List<List<AddWinsSet.Operation>> histories(WireValue value) {
      return List.of(List.of(new AddWinsSet.Add(elements(this, value))));
    }
  }

  /** {@code RWSET}. */
  static final class RemoveWins extends TypeMapping<RemoveWinsSet.Operation, Set<Bytes>> {
    RemoveWins() {
      super(WireType.RWSET, RemoveWinsSet.TYPE);
    }

    @Override
    RemoveWinsSet.Operation operation(WireOperation operation) {
      if (operation instanceof WireOperation.Elements elements) {
        return elements.add()
            ? new RemoveWinsSet.Add(elements.elements())
            : new RemoveWinsSet.Remove(elements.elements());
      } else if (operation instanceof WireOperation.Reset) {
        return new RemoveWinsSet.Reset();
      }
      throw refused(operation);
    }

    @Override
    WireOperation wireOperation(RemoveWinsSet.Operation operation) {
      if (operation instanceof RemoveWinsSet.Add add) {
        return new WireOperation.Elements(true, add.elements());
      } else if (operation instanceof RemoveWinsSet.Remove remove) {
        return new WireOperation.Elements(false, remove.elements());
      }
      return new WireOperation.Reset();
    }

    @Override
    WireValue wireValue(Set<Bytes> value) {
      return ascending(value);
    }

    @Override
    List<List<RemoveWinsSet.Operation>> histories(WireValue value) {
      return List.of(List.of(new RemoveWinsSet.Add(elements(this, value))));
    }
  }
}
