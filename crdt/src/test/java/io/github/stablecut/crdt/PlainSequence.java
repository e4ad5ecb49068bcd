package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.internal.sequence.Dots;
import io.github.stablecut.crdt.sequence.Rga.Deletion;
import io.github.stablecut.crdt.sequence.Rga.Effect;
import io.github.stablecut.crdt.sequence.Rga.Insertion;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The order of lists and texts in its simplest form: a tree of single elements that remember their
 * insertion neighbours and are never removed. Mutable.
 */
public final class PlainSequence {
  /** An element; {@code by} is the least transaction that deleted it. */
  public record Element(Dot id, String value, Optional<Dot> by) {
    public boolean isVisible() {
      return by.isEmpty();
    }
  }

  /** The children of each element on each side, ascending. */
  private final Map<Reference, TreeMap<Dot, Element>> children = new HashMap<>();

  private final Map<Dot, Reference> references = new HashMap<>();
  private final Map<Dot, Element> all = new HashMap<>();
  private final Set<Dot> pruned = new HashSet<>();

  /** The unpruned elements. */
  public List<Element> elements() {
    List<Element> elements = new ArrayList<>();
    addRight(Reference.BEGINNING, elements);
    elements.removeIf(element -> pruned.contains(element.id));
    return elements;
  }

  private void addAll(Element element, List<Element> to) {
    TreeMap<Dot, Element> left = children.get(Reference.before(element.id));
    if (left != null) {
      left.values().forEach(child -> addAll(child, to));
    }
    to.add(element);
    addRight(Reference.after(element.id), to);
  }

  private void addRight(Reference reference, List<Element> to) {
    TreeMap<Dot, Element> right = children.get(reference);
    if (right != null) {
      right.descendingMap().values().forEach(child -> addAll(child, to));
    }
  }

  public String text() {
    return elements().stream()
        .filter(Element::isVisible)
        .map(Element::value)
        .collect(Collectors.joining());
  }

  void apply(Effect<String> effect, EffectOrigin origin) {
    if (effect instanceof Insertion<String> insertion) {
      Reference reference = insertion.reference().resolve(origin);
      Dot id = origin.resolve(insertion.first());
      for (int codePoint : insertion.elements().codePoints().toArray()) {
        put(reference, new Element(id, Character.toString(codePoint), Optional.empty()));
        reference = Reference.after(id);
        id = id.plus(1);
      }
    } else {
      Dot by = new Dot(origin.dataCentre(), origin.commitTime(), 0);
      for (Dots ids : ((Deletion<String>) effect).ids()) {
        for (int i = 0; i < ids.size(); i++) {
          delete(origin.resolve(ids.get(i)), by);
        }
      }
    }
  }

  private void put(Reference reference, Element element) {
    references.put(element.id, reference);
    all.put(element.id, element);
    children
        .computeIfAbsent(reference, key -> new TreeMap<>(Comparator.naturalOrder()))
        .put(element.id, element);
  }

  private void delete(Dot id, Dot by) {
    Reference reference = references.get(id);
    Element e = all.get(id);
    if (reference != null && e != null && !pruned.contains(id)) {
      Dot least = e.by.filter(other -> other.compareTo(by) < 0).orElse(by);
      put(reference, new Element(id, e.value, Optional.of(least)));
    }
  }

  /** Removes the tombstones whose deletion is stable, if all their children's are. */
  void prune(VectorClock frontier) {
    for (Element e : elements()) {
      if (e.by.isPresent()
          && e.by.get().isAtOrBefore(frontier)
          && areStable(Reference.after(e.id), frontier)
          && areStable(Reference.before(e.id), frontier)) {
        pruned.add(e.id);
      }
    }
  }

  private boolean areStable(Reference parent, VectorClock frontier) {
    TreeMap<Dot, Element> below = children.get(parent);
    return below == null || below.keySet().stream().allMatch(id -> id.isAtOrBefore(frontier));
  }
}
