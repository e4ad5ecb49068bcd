package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Rga.Deletion;
import io.github.stablecut.crdt.Rga.Effect;
import io.github.stablecut.crdt.Rga.Insertion;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * RGA as the paper has it: a list of single elements that remember what they were inserted after.
 * Mutable.
 */
final class PlainSequence {
  /** An element; {@code by} is the least transaction that deleted it. */
  record Element(Dot id, Optional<Dot> reference, String value, Optional<Dot> by) {
    boolean isVisible() {
      return by.isEmpty();
    }
  }

  private List<Element> elements = new ArrayList<>();

  List<Element> elements() {
    return elements;
  }

  String text() {
    return elements.stream()
        .filter(Element::isVisible)
        .map(Element::value)
        .collect(Collectors.joining());
  }

  void apply(Effect<String> effect, EffectOrigin origin) {
    if (effect instanceof Insertion<String> insertion) {
      Optional<Dot> reference = insertion.reference().map(origin::resolve);
      Dot id = origin.resolve(insertion.first());
      for (int codePoint : insertion.elements().codePoints().toArray()) {
        insert(new Element(id, reference, Character.toString(codePoint), Optional.empty()));
        reference = Optional.of(id);
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

  private void insert(Element element) {
    int place = element.reference.map(reference -> placeOf(reference) + 1).orElse(0);
    while (place < elements.size() && elements.get(place).id.compareTo(element.id) > 0) {
      place++;
    }
    elements.add(place, element);
  }

  private void delete(Dot id, Dot by) {
    int place = placeOf(id);
    if (place >= 0) {
      Element e = elements.get(place);
      Dot least = e.by.filter(other -> other.compareTo(by) < 0).orElse(by);
      elements.set(place, new Element(e.id, e.reference, e.value, Optional.of(least)));
    }
  }

  private int placeOf(Dot id) {
    for (int i = 0; i < elements.size(); i++) {
      if (elements.get(i).id.equals(id)) {
        return i;
      }
    }
    return -1;
  }

  /** Takes out one tombstone after the other, its children moved to its reference, while it can. */
  void prune(VectorClock frontier) {
    boolean changed = true;
    while (changed) {
      changed = false;
      for (Element e : List.copyOf(elements)) {
        if (e.by.isPresent()
            && e.by.get().isAtOrBefore(frontier)
            && childrenOf(e).stream().allMatch(child -> child.id.isAtOrBefore(frontier))) {
          remove(
              elements.stream().filter(other -> other.id.equals(e.id)).findFirst().orElseThrow());
          changed = true;
        }
      }
    }
  }

  private List<Element> childrenOf(Element parent) {
    return elements.stream().filter(e -> e.reference.equals(Optional.of(parent.id))).toList();
  }

  private void remove(Element parent) {
    List<Element> rest = new ArrayList<>();
    for (Element e : elements) {
      if (e.reference.equals(Optional.of(parent.id))) {
        rest.add(new Element(e.id, parent.reference, e.value, e.by));
      } else if (!e.equals(parent)) {
        rest.add(e);
      }
    }
    elements = rest;
  }
}
