package io.github.stablecut.key;

import io.github.stablecut.crdt.CrdtType;

/**
 * A key that reads something other than the object's value.
 *
 * @param <V> the type of what it reads
 */
final class ViewKey<V> extends Key<V> {
  private final CrdtType<?, ?, ?, ?> type;
  private final CrdtType<?, ?, ?, V> shown;

  ViewKey(ObjectPath path, CrdtType<?, ?, ?, ?> type, CrdtType<?, ?, ?, V> shown) {
    super(path, type, shown, value -> value);
    this.type = type;
    this.shown = shown;
  }

  @Override
  ViewKey<V> at(ObjectPath other) {
    return new ViewKey<>(other, type, shown);
  }
}
