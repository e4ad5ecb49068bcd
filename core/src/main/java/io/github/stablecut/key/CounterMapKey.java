package io.github.stablecut.key;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.map.CounterMap;
import io.github.stablecut.crdt.question.PageBounds;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.error.LimitExceededException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;

/**
 * The key of an object that contains many counters ({@link CounterMap}). A reader sees the counters
 * that were ever added to, ordered by their encoded names, as an immutable view of the snapshot's
 * state. Looking up a counter, neighbours, ranges and the size take logarithmic time; names are
 * decoded on access. Sums beyond {@code long} are kept exactly, but reading one throws a {@link
 * LimitExceededException}. A name has at most 1 MiB: executing an operation on a longer one throws
 * {@link LimitExceededException}.
 *
 * @param <T> the names of the counters
 */
public final class CounterMapKey<T> extends Key<NavigableMap<T, Long>> {
  private final Codec<T> names;

  CounterMapKey(ObjectPath path, Codec<T> names) {
    super(path, CounterMap.TYPE, value -> new DecodedMap<>(value, names));
    this.names = Objects.requireNonNull(names, "codec");
  }

  /** Adds 1 to a counter. */
  public Update increment(T name) {
    return increment(name, 1);
  }

  /** Adds an amount, which may be negative, to a counter. */
  public Update increment(T name, long amount) {
    return incrementAll(Map.of(name, amount));
  }

  /**
   * Subtracts an amount from a counter.
   *
   * @throws LimitExceededException if the amount is -2^63, whose negation exceeds {@code long}
   */
  public Update decrement(T name, long amount) {
    return increment(name, CounterKey.negated(amount));
  }

  /**
   * Adds amounts to counters.
   *
   * @throws LimitExceededException if the codec encodes several names equally, and the sum of their
   *     amounts exceeds {@code long}
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
          "%s: the sum of %,d and %,d for one counter exceeds a long: add them in separate updates"
              .formatted(this, one, other),
          e);
    }
  }

  /** The value of a counter; 0 if it was never added to. */
  public Query<Long> get(T name) {
    return ask(new Question.Count(names.encode(name)));
  }

  /** Whether a counter was ever added to. */
  public Query<Boolean> contains(T name) {
    return ask(new Question.Contains(names.encode(name)));
  }

  /** The number of counters. */
  public Query<Integer> size() {
    return ask(new Question.Size());
  }

  /**
   * The first counters, ordered by their encoded names.
   *
   * @param limit the maximum number of counters, 1 to {@value Question#MAX_ITEMS}
   */
  public Query<List<Map.Entry<T, Long>>> firstPage(int limit) {
    return page(new PageBounds(Optional.empty(), false, limit));
  }

  /**
   * The counters after a name, which need not be present.
   *
   * @param limit the maximum number of counters, 1 to {@value Question#MAX_ITEMS}
   */
  public Query<List<Map.Entry<T, Long>>> pageAfter(T name, int limit) {
    return page(new PageBounds(Optional.of(names.encode(name)), false, limit));
  }

  /**
   * The last counters, in descending order.
   *
   * @param limit the maximum number of counters, 1 to {@value Question#MAX_ITEMS}
   */
  public Query<List<Map.Entry<T, Long>>> lastPage(int limit) {
    return page(new PageBounds(Optional.empty(), true, limit));
  }

  /**
   * The counters before a name, which need not be present, in descending order.
   *
   * @param limit the maximum number of counters, 1 to {@value Question#MAX_ITEMS}
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
