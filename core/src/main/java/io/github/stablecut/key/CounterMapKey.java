package io.github.stablecut.key;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CounterMap;
import io.github.stablecut.crdt.PageBounds;
import io.github.stablecut.crdt.Question;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.LimitExceededException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;

/**
 * The name of an object that holds many counters ({@link CounterMap}). A reader sees those that
 * were ever added to, in the order of their names' bytes, as an immutable view of the snapshot's
 * state: looking up a counter, neighbours, ranges and the size take logarithmic time, and a name is
 * decoded when it is looked at. A sum beyond {@code long} is kept exactly, and looking at it throws
 * a {@link LimitExceededException}. A name has at most 1 MiB: a transaction that executes an
 * operation on a longer one is told by {@link LimitExceededException}.
 *
 * @param <T> what the counters are called
 */
public final class CounterMapKey<T> extends Key<NavigableMap<T, Long>> {
  private final Codec<T> names;

  CounterMapKey(ObjectPath place, Codec<T> names) {
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

  /**
   * Takes an amount off a counter.
   *
   * @throws LimitExceededException if it is -2^63, whose opposite no {@code long} holds
   */
  public Update decrement(T name, long amount) {
    return increment(name, CounterKey.opposite(amount));
  }

  /**
   * Adds amounts to counters.
   *
   * @throws LimitExceededException if the codec gives several names the same bytes, and their
   *     amounts are together more than a {@code long} holds
   */
  public Update incrementAll(Map<? extends T, Long> amounts) {
    Map<Bytes, Long> encoded = new HashMap<>();
    amounts.forEach((name, amount) -> encoded.merge(names.encode(name), amount, this::sum));
    return updateBy(new CounterMap.Add(encoded));
  }

  private long sum(long one, long other) {
    try {
      return Math.addExact(one, other);
    } catch (ArithmeticException e) {
      throw new LimitExceededException(
          "%s: %,d and %,d for one counter are more than a long holds: add them one after the other"
              .formatted(this, one, other),
          e);
    }
  }

  /** A counter; 0 if it was never added to. */
  public Query<Long> get(T name) {
    return ask(new Question.Count(names.encode(name)));
  }

  /** Whether a counter was ever added to. */
  public Query<Boolean> contains(T name) {
    return ask(new Question.Contains(names.encode(name)));
  }

  /** How many counters there are. */
  public Query<Integer> size() {
    return ask(new Question.Size());
  }

  /**
   * The first counters, in the order of their names' bytes.
   *
   * @param limit the most that are returned, 1 to {@value Question#MAX_ITEMS}
   */
  public Query<List<Map.Entry<T, Long>>> firstPage(int limit) {
    return page(new PageBounds(Optional.empty(), false, limit));
  }

  /**
   * The counters that follow one, which need not be there itself.
   *
   * @param limit the most that are returned, 1 to {@value Question#MAX_ITEMS}
   */
  public Query<List<Map.Entry<T, Long>>> pageAfter(T name, int limit) {
    return page(new PageBounds(Optional.of(names.encode(name)), false, limit));
  }

  /**
   * The last counters, the last one first.
   *
   * @param limit the most that are returned, 1 to {@value Question#MAX_ITEMS}
   */
  public Query<List<Map.Entry<T, Long>>> lastPage(int limit) {
    return page(new PageBounds(Optional.empty(), true, limit));
  }

  /**
   * The counters before one, which need not be there itself; the nearest one first.
   *
   * @param limit the most that are returned, 1 to {@value Question#MAX_ITEMS}
   */
  public Query<List<Map.Entry<T, Long>>> pageBefore(T name, int limit) {
    return page(new PageBounds(Optional.of(names.encode(name)), true, limit));
  }

  private Query<List<Map.Entry<T, Long>>> page(PageBounds bounds) {
    return ask(
        new Question.CountPage(bounds),
        page -> page.stream().map(count -> decode(count)).toList(),
        page -> page.stream().map(count -> encode(count)).toList());
  }

  private Map.Entry<Bytes, Long> encode(Map.Entry<T, Long> count) {
    return Map.entry(names.encode(count.getKey()), count.getValue());
  }

  private Map.Entry<T, Long> decode(Map.Entry<Bytes, Long> count) {
    return Map.entry(names.decode(count.getKey()), count.getValue());
  }

  @Override
  CounterMapKey<T> at(ObjectPath other) {
    return new CounterMapKey<>(other, other.codec(names));
  }
}
