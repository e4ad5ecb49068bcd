package io.github.stablecut.crdt.internal.state;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.internal.tree.PersistentMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The values of events, by their dots in ascending order. Optimized for one event, the usual case
 * as in a {@link DotSet}: it needs no tree. Immutable.
 */
public final class DotMap<V> {
  private static final int MIN_DOT_BYTES = 2;

  private static final DotMap<?> EMPTY = new DotMap<>(null, null, PersistentMap.empty());

  /** The only event; null if there are none or several. */
  private final @Nullable Dot dot;

  /** The value of {@link #dot}; null exactly if that is. */
  private final @Nullable V value;

  /** All events, if there are none or several; otherwise empty. */
  private final PersistentMap<Dot, V> several;

  private DotMap(@Nullable Dot dot, @Nullable V value, PersistentMap<Dot, V> several) {
    assert (dot == null) == (value == null) && (dot == null || several.isEmpty());
    this.dot = dot;
    this.value = value;
    this.several = several;
  }

  @SuppressWarnings("unchecked") // holds nothing
  public static <V> DotMap<V> empty() {
    return (DotMap<V>) EMPTY;
  }

  private static <V> DotMap<V> of(Dot dot, V value) {
    return new DotMap<>(dot, value, PersistentMap.empty());
  }

  private static <V> DotMap<V> of(PersistentMap<Dot, V> events) {
    if (events.size() == 1) {
      Map.Entry<Dot, V> only = events.iterator().next();
      return of(only.getKey(), only.getValue());
    }
    return events.isEmpty() ? empty() : new DotMap<>(null, null, events);
  }

  /** The value of each event. */
  public PersistentMap<Dot, V> events() {
    return dot == null || value == null ? several : several.with(dot, value);
  }

  public boolean isEmpty() {
    return dot == null && several.isEmpty();
  }

  public int size() {
    return dot == null ? several.size() : 1;
  }

  /** Visits the events in ascending order. */
  public void forEach(BiConsumer<? super Dot, ? super V> visitor) {
    if (dot != null && value != null) {
      visitor.accept(dot, value);
    } else {
      several.forEach(visitor);
    }
  }

  /** The dots. */
  public DotSet dots() {
    return dot == null ? DotSet.of(several) : DotSet.of(dot);
  }

  /** The value of the event with the greatest dot. */
  public Optional<V> last() {
    return value == null ? several.lastValue() : Optional.of(value);
  }

  public DotMap<V> with(Dot event, V eventValue) {
    return isEmpty() ? of(event, eventValue) : of(events().with(event, eventValue));
  }

  /**
   * The events that an effect had not observed.
   *
   * @param listed the dots that the effect lists
   */
  public DotMap<V> withoutObserved(DotSet listed, EffectOrigin origin) {
    return without(listed, origin).without(origin.pruneFrontier());
  }

  /** Removes the events that an effect lists. */
  public DotMap<V> without(DotSet listed, EffectOrigin origin) {
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
   * Replaces or removes values.
   *
   * @param revision returns the new value of an event: the same object if unchanged, null to remove
   *     the event
   */
  @SuppressWarnings("ReferenceEquality") // an unchanged value is the same object
  public DotMap<V> revised(BiFunction<? super Dot, ? super V, @Nullable V> revision) {
    if (dot != null && value != null) {
      V left = revision.apply(dot, value);
      return left == value ? this : left == null ? empty() : of(dot, left);
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
  public DotMap<V> within(VectorClock frontier) {
    if (dot != null) {
      return dot.isAtOrBefore(frontier) ? this : empty();
    }
    PersistentMap<Dot, V> within = PersistentMap.empty();
    for (Map.Entry<Dot, V> event : several) {
      Dot each = event.getKey();
      if (frontier.isBefore(each.time())) {
        break; // so are all following dots
      }
      within = each.isAtOrBefore(frontier) ? within.with(each, event.getValue()) : within;
    }
    return of(within);
  }

  /** Removes the events at or below a frontier. */
  public DotMap<V> without(VectorClock frontier) {
    if (dot != null) {
      return dot.isAtOrBefore(frontier) ? empty() : this;
    }
    PersistentMap<Dot, V> kept = several;
    for (Map.Entry<Dot, V> stable : within(frontier).events()) {
      kept = kept.without(stable.getKey());
    }
    return kept.size() == several.size() ? this : of(kept);
  }

  public void write(Encoder out, BiConsumer<? super V, Encoder> valueWriter) {
    events().write(out, (each, to) -> to.writeDot(each), valueWriter, each -> true);
  }

  public static <V> DotMap<V> read(
      Decoder in, int minValueBytes, Function<Decoder, V> valueReader) {
    return of(PersistentMap.read(in, MIN_DOT_BYTES + minValueBytes, Decoder::readDot, valueReader));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DotMap<?> that
        && Objects.equals(dot, that.dot)
        && Objects.equals(value, that.value)
        && several.equals(that.several);
  }

  @Override
  public int hashCode() {
    return Objects.hash(dot, value, several);
  }

  @Override
  public String toString() {
    return events().toString();
  }
}
