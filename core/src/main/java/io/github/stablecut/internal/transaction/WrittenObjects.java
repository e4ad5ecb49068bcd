package io.github.stablecut.internal.transaction;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A map from objects to a transaction's writes, in the order of the first writes. A single object,
 * the most frequent case, uses no table. Confined to the transaction's thread.
 *
 * @param <W> the writes to one object
 */
final class WrittenObjects<W> {
  private @Nullable Bytes onlyId;
  private @Nullable W only;

  /** All objects, once there were several; empty until then. */
  private Map<Bytes, W> several = Map.of();

  boolean isEmpty() {
    return only == null && several.isEmpty();
  }

  /** The writes to an object; null if there are none. */
  @Nullable W get(Bytes id) {
    if (only == null) {
      return several.get(id);
    }
    return isOnly(id) ? only : null;
  }

  private boolean isOnly(Bytes id) {
    return onlyId != null && id.equals(onlyId);
  }

  /** Sets the writes to an object; returns what was there, or null. */
  @CanIgnoreReturnValue
  @Nullable W put(Bytes id, W written) {
    Bytes knownId = onlyId;
    W known = only;
    if (known == null || knownId == null) {
      if (!several.isEmpty()) {
        return several.put(id, written);
      }
      onlyId = id;
      only = written;
      return null;
    }
    if (id.equals(knownId)) {
      only = written;
      return known;
    }
    Map<Bytes, W> all = new LinkedHashMap<>();
    all.put(knownId, known);
    all.put(id, written);
    several = all;
    only = null;
    return null;
  }

  /** Removes the writes to an object, if there are any. */
  void remove(Bytes id) {
    if (isOnly(id)) {
      only = null;
    }
    if (!several.isEmpty()) {
      several.remove(id);
    }
  }

  /** The written objects. */
  Set<Bytes> ids() {
    Bytes id = onlyId;
    return only == null || id == null ? several.keySet() : Set.of(id);
  }

  /** Visits the written objects in order. */
  void forEach(BiConsumer<? super Bytes, ? super W> visitor) {
    Bytes id = onlyId;
    W written = only;
    if (written == null || id == null) {
      several.forEach(visitor);
    } else {
      visitor.accept(id, written);
    }
  }

  /** The id of the only object; null if there are several or none. */
  @Nullable Bytes onlyId() {
    return only == null ? null : onlyId;
  }
}
