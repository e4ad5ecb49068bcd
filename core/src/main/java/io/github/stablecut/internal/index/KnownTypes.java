package io.github.stablecut.internal.index;

import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.SeveralTypes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The known types of an object: one, or several if data centres created it concurrently with
 * different types. Immutable.
 */
public final class KnownTypes {
  /** No known type: only intents are in memory. */
  public static final KnownTypes NONE = new KnownTypes(List.of());

  /** The shared instances of single types, which most objects have. */
  private static final Map<Integer, KnownTypes> SINGLE = new ConcurrentHashMap<>();

  private final List<CrdtType<?, ?, ?, ?>> types;

  private KnownTypes(List<CrdtType<?, ?, ?, ?>> types) {
    this.types = types;
  }

  private static KnownTypes only(CrdtType<?, ?, ?, ?> type) {
    return SINGLE.computeIfAbsent(type.typeId(), number -> new KnownTypes(List.of(type)));
  }

  /** Returns these types and another one; this if it is among them. */
  KnownTypes with(CrdtType<?, ?, ?, ?> type) {
    if (contains(type)) {
      return this;
    }
    if (types.isEmpty()) {
      return only(type);
    }
    List<CrdtType<?, ?, ?, ?>> more = new ArrayList<>(types);
    more.add(type);
    more.sort(Comparator.comparingInt(CrdtType::typeId));
    return new KnownTypes(List.copyOf(more));
  }

  /** Returns these types and those of a version. */
  public KnownTypes with(Version version) {
    KnownTypes all = this;
    for (SeveralTypes.State state : version.states()) {
      all = all.with(state.type());
    }
    return all;
  }

  /** Whether no type is known. */
  public boolean isEmpty() {
    return types.isEmpty();
  }

  /** Whether there are several types. */
  public boolean areSeveral() {
    return types.size() > 1;
  }

  /** Whether a type is among them. */
  public boolean contains(CrdtType<?, ?, ?, ?> type) {
    // Avoids an iterator because each write calls this.
    for (int i = 0; i < types.size(); i++) {
      CrdtType<?, ?, ?, ?> known = types.get(i);
      if (known == type || known.typeId() == type.typeId()) {
        return true;
      }
    }
    return false;
  }

  /** Whether a type is the only one. */
  public boolean isOnly(CrdtType<?, ?, ?, ?> type) {
    return types.size() == 1 && contains(type);
  }

  /** All types, sorted by type id. */
  public List<CrdtType<?, ?, ?, ?>> all() {
    return types;
  }
}
