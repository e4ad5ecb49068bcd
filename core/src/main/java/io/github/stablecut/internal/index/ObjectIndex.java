package io.github.stablecut.internal.index;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Every object that has an effect, by its id. Reading is thread-safe and takes no lock; {@link
 * #append} is called under the commit lock, in the order of commit times.
 *
 * <p>Invariant: an effect is in the index before any snapshot sees its transaction.
 */
public final class ObjectIndex {
  private final ConcurrentHashMap<Bytes, ObjectEntry> objects = new ConcurrentHashMap<>();

  /** The entry of an object; empty if nothing was ever done to it. */
  public Optional<ObjectEntry> get(Bytes id) {
    return Optional.ofNullable(objects.get(id));
  }

  /** Adds the newest effect on an object; the first one fixes the object's type. */
  public void append(Bytes id, CrdtType<?, ?, ?, ?> type, IndexedEffect effect) {
    objects.computeIfAbsent(id, absent -> new ObjectEntry(type)).add(effect);
  }

  /** The number of objects. */
  public int size() {
    return objects.size();
  }
}
