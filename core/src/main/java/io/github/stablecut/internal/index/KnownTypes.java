package io.github.stablecut.internal.index;

import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.SeveralTypes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The types that an object is known to have: one, or several if data centres have created it with
 * different ones at the same time. Immutable.
 */
public final class KnownTypes {
  /** None: only intents are in memory. */
  public static final KnownTypes NONE = new KnownTypes(List.of());

  /** Most objects have one type, so entries share what stands for it. */
  private static final Map<Integer, KnownTypes> SINGLE = new ConcurrentHashMap<>();

  private final List<CrdtType<?, ?, ?, ?>> types;

  private KnownTypes(List<CrdtType<?, ?, ?, ?>> types) {
    this.types = types;
  }

  private static KnownTypes only(CrdtType<?, ?, ?, ?> type) {
    return SINGLE.computeIfAbsent(type.typeId(), number -> new KnownTypes(List.of(type)));
  }

  /** These and another one; itself if it is among them. */
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

  /** These and those of a version. */
  public KnownTypes with(Version version) {
    KnownTypes all = this;
    for (SeveralTypes.State state : version.states()) {
      all = all.with(state.type());
    }
    return all;
  }

  /** Whether none is known. */
  public boolean isEmpty() {
    return types.isEmpty();
  }

  /** Whether there are several. */
  public boolean areSeveral() {
    return types.size() > 1;
  }

  /** Whether a type is among them. */
  public boolean contains(CrdtType<?, ?, ?, ?> type) {
    // Without an iterator, as each write comes here.
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

  /** All of them, by their numbers. */
  public List<CrdtType<?, ?, ?, ?>> all() {
    return types;
  }
}
