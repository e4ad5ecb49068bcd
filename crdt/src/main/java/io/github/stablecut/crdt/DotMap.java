package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * What some events have said, by their dots in ascending order. Immutable.
 *
 * @param events what each event has said
 */
record DotMap<V>(PersistentMap<Dot, V> events) {
  private static final int MIN_DOT_BYTES = 2;

  private static final DotMap<?> EMPTY = new DotMap<>(PersistentMap.empty());

  @SuppressWarnings("unchecked") // holds nothing
  static <V> DotMap<V> empty() {
    return (DotMap<V>) EMPTY;
  }

  boolean isEmpty() {
    return events.isEmpty();
  }

  int size() {
    return events.size();
  }

  /** The dots. */
  DotSet dots() {
    return DotSet.of(events);
  }

  /** What the event with the greatest dot has said. */
  Optional<V> last() {
    return events.lastValue();
  }

  DotMap<V> with(Dot dot, V said) {
    return new DotMap<>(events.with(dot, said));
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
    PersistentMap<Dot, V> kept = events;
    for (Dot dot : listed) {
      kept = kept.without(origin.resolve(dot));
    }
    return new DotMap<>(kept);
  }

  /** The events at or below a frontier. */
  DotMap<V> within(VectorClock frontier) {
    if (events.isEmpty()) {
      return this;
    }
    PersistentMap<Dot, V> within = PersistentMap.empty();
    long last = frontier.max();
    for (Map.Entry<Dot, V> event : events) {
      Dot dot = event.getKey();
      if (dot.time() > last) {
        break; // so are all that follow
      }
      within = dot.isAtOrBefore(frontier) ? within.with(dot, event.getValue()) : within;
    }
    return new DotMap<>(within);
  }

  /** Without the events at or below a frontier. */
  DotMap<V> without(VectorClock frontier) {
    PersistentMap<Dot, V> kept = events;
    for (Map.Entry<Dot, V> stable : within(frontier).events) {
      kept = kept.without(stable.getKey());
    }
    return new DotMap<>(kept);
  }

  void write(Encoder out, BiConsumer<? super V, Encoder> value) {
    events.write(out, (dot, to) -> to.writeDot(dot), value);
  }

  static <V> DotMap<V> read(Decoder in, int minValueBytes, Function<Decoder, V> value) {
    return new DotMap<>(
        PersistentMap.read(in, MIN_DOT_BYTES + minValueBytes, Decoder::readDot, value));
  }

  @Override
  public String toString() {
    return events.toString();
  }
}
