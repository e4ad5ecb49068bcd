package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import java.util.Optional;

/**
 * The element of a list or text next to which elements are inserted. Immutable.
 *
 * @param element the element's dot; empty for the beginning
 * @param isBefore whether they are inserted before the element rather than after it
 */
public record Reference(Optional<Dot> element, boolean isBefore) {
  public static final Reference BEGINNING = new Reference(Optional.empty(), false);

  public static Reference after(Dot element) {
    return new Reference(Optional.of(element), false);
  }

  public static Reference before(Dot element) {
    return new Reference(Optional.of(element), true);
  }

  public Reference resolve(EffectOrigin origin) {
    return element.isPresent() && element.get().isSelf()
        ? new Reference(element.map(origin::resolve), isBefore)
        : this;
  }
}
