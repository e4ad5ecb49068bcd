package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What some events have said, by their dots in ascending order. Nearly always there is one, as in a
 * {@link DotSet}, and then it takes nothing but itself. Immutable.
 */
final class DotMap<V> {
  private static final int MIN_DOT_BYTES = 2;

  private static final DotMap<?> EMPTY = new DotMap<>(null, null, PersistentMap.empty());

  /** The only event; null if there is none or more than one. */
  private final @Nullable Dot dot;

  private final @Nullable V said;

  /** The events, if there is none or more than one. */
  private final PersistentMap<Dot, V> several;

  private DotMap(@Nullable Dot dot, @Nullable V said, PersistentMap<Dot, V> several) {
    this.dot = dot;
    this.said = said;
    this.several = several;
  }

  @SuppressWarnings("unchecked") // holds nothing
  static <V> DotMap<V> empty() {
    return (DotMap<V>) EMPTY;
  }

  private static <V> DotMap<V> of(Dot dot, V said) {
    return new DotMap<>(dot, said, PersistentMap.empty());
  }

  private static <V> DotMap<V> of(PersistentMap<Dot, V> events) {
    if (events.size() == 1) {
      Map.Entry<Dot, V> only = events.iterator().next();
      return of(only.getKey(), only.getValue());
    }
    return events.isEmpty() ? empty() : new DotMap<>(null, null, events);
  }

  /** What each event has said. */
  PersistentMap<Dot, V> events() {
    return dot == null || said == null ? several : several.with(dot, said);
  }

  boolean isEmpty() {
    return dot == null && several.isEmpty();
  }

  int size() {
    return dot == null ? several.size() : 1;
  }

  /** Visits the events in ascending order. */
  void forEach(BiConsumer<? super Dot, ? super V> visitor) {
    if (dot != null && said != null) {
      visitor.accept(dot, said);
    } else {
      several.forEach(visitor);
    }
  }

  /** The dots. */
  DotSet dots() {
    return dot == null ? DotSet.of(several) : DotSet.of(dot);
  }

  /** What the event with the greatest dot has said. */
  Optional<V> last() {
    return said == null ? several.lastValue() : Optional.of(said);
  }

  DotMap<V> with(Dot event, V says) {
    return isEmpty() ? of(event, says) : of(events().with(event, says));
  }

  /**
   * What an effect had not observed.
   *
   * @param listed the dots that it lists
   */
  DotMap<V> withoutObserved(DotSet listed, EffectOrigin origin) {
    return without(listed, origin).without(origin.pruneFrontier());
  }

  /** Without the events that an effect lists. */
  DotMap<V> without(DotSet listed, EffectOrigin origin) {
    if (isEmpty()) {
      return this;
    }
    if (dot != null) {
      return listed.resolve(origin).contains(dot) ? empty() : this;
    }
    PersistentMap<Dot, V> kept = several;
    for (Dot each : listed) {
      kept = kept.without(origin.resolve(each));
    }
    return kept.size() == several.size() ? this : of(kept);
  }

  /**
   * What is left of the events.
   *
   * @param revision what is left of what an event has said: the same object for all of it, null for
   *     nothing
   */
  @SuppressWarnings("ReferenceEquality") // what is not revised is the same object
  DotMap<V> revised(BiFunction<? super Dot, ? super V, @Nullable V> revision) {
    if (dot != null && said != null) {
      V left = revision.apply(dot, said);
      return left == said ? this : left == null ? empty() : of(dot, left);
    }
    PersistentMap<Dot, V> kept = several;
    for (Map.Entry<Dot, V> event : several) {
      V left = revision.apply(event.getKey(), event.getValue());
      if (left != event.getValue()) {
        kept = left == null ? kept.without(event.getKey()) : kept.with(event.getKey(), left);
      }
    }
    return kept == several ? this : of(kept);
  }

  /** The events at or below a frontier. */
  DotMap<V> within(VectorClock frontier) {
    if (dot != null) {
      return dot.isAtOrBefore(frontier) ? this : empty();
    }
    PersistentMap<Dot, V> within = PersistentMap.empty();
    for (Map.Entry<Dot, V> event : several) {
      Dot each = event.getKey();
      if (frontier.isBefore(each.time())) {
        break; // so are all that follow
      }
      within = each.isAtOrBefore(frontier) ? within.with(each, event.getValue()) : within;
    }
    return of(within);
  }

  /** Without the events at or below a frontier. */
  DotMap<V> without(VectorClock frontier) {
    if (dot != null) {
      return dot.isAtOrBefore(frontier) ? empty() : this;
    }
    PersistentMap<Dot, V> kept = several;
    for (Map.Entry<Dot, V> stable : within(frontier).events()) {
      kept = kept.without(stable.getKey());
    }
    return kept.size() == several.size() ? this : of(kept);
  }

  void write(Encoder out, BiConsumer<? super V, Encoder> value) {
    events().write(out, (each, to) -> to.writeDot(each), value, said -> true);
  }

  static <V> DotMap<V> read(Decoder in, int minValueBytes, Function<Decoder, V> value) {
    return of(PersistentMap.read(in, MIN_DOT_BYTES + minValueBytes, Decoder::readDot, value));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DotMap<?> that
        && Objects.equals(dot, that.dot)
        && Objects.equals(said, that.said)
        && several.equals(that.several);
  }

  @Override
  public int hashCode() {
    return Objects.hash(dot, said, several);
  }

  @Override
  public String toString() {
    return events().toString();
  }
}
