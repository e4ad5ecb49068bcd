package io.github.stablecut.key;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CounterMap;
import io.github.stablecut.crdt.codec.Codec;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;

/**
 * The name of an object that holds many counters ({@link CounterMap}). A reader sees those that
 * were ever added to, in the order of their names' bytes, as an immutable view of the snapshot's
 * state: looking up a counter, neighbours, ranges and the size take logarithmic time, and a name is
 * decoded when it is looked at.
 *
 * @param <T> what the counters are called
 */
public final class CounterMapKey<T> extends Key<NavigableMap<T, Long>> {
  private final Codec<T> names;

  CounterMapKey(Place place, Codec<T> names) {
    super(place, CounterMap.TYPE, value -> new DecodedMap<>(value, names));
    this.names = Objects.requireNonNull(names, "codec");
  }

  /** Adds 1 to a counter. */
  public Update increment(T name) {
    return increment(name, 1);
  }

  /** Adds an amount, any number, to a counter. */
  public Update increment(T name, long amount) {
    return incrementAll(Map.of(name, amount));
  }

  /** Takes an amount off a counter. */
  public Update decrement(T name, long amount) {
    return increment(name, -amount);
  }

  /** Adds amounts to counters. */
  public Update incrementAll(Map<? extends T, Long> amounts) {
    Map<Bytes, Long> encoded = new HashMap<>();
    amounts.forEach((name, amount) -> encoded.merge(names.encode(name), amount, Long::sum));
    return updateBy(new CounterMap.Add(encoded));
  }

  @Override
  CounterMapKey<T> at(Place other) {
    return new CounterMapKey<>(other, names);
  }
}
