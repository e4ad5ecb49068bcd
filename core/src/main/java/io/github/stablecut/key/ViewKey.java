package io.github.stablecut.key;

import io.github.stablecut.crdt.CrdtType;

/**
 * The name of an object of which something else is read than its value.
 *
 * @param <V> what is read
 */
final class ViewKey<V> extends Key<V> {
  private final CrdtType<?, ?, ?, ?> type;
  private final CrdtType<?, ?, ?, V> shown;

  ViewKey(ObjectPath place, CrdtType<?, ?, ?, ?> type, CrdtType<?, ?, ?, V> shown) {
    super(place, type, shown, value -> value);
    this.type = type;
    this.shown = shown;
  }

  @Override
  ViewKey<V> at(ObjectPath other) {
    return new ViewKey<>(other, type, shown);
  }
}
