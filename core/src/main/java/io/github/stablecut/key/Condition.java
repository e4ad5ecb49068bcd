package io.github.stablecut.key;

import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.LimitExceededException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A predicate on objects, for {@link Store#compareAndUpdate(Condition, Update...)}. A condition is
 * a value: creating one has no effect, and stores can send it to the objects' partition. Immutable.
 *
 * <pre>{@code
 * Condition inStock = Condition.atLeast(stock, 3);
 * Condition isOpen = Condition.is(status, Optional.of("open"));
 * store.compareAndUpdate(Condition.all(inStock, isOpen), stock.decrement(3));
 * }</pre>
 *
 * <p>A condition compares the answers to queries: counters, flags and registers themselves, and
 * parts of collections, such as {@link SetKey#contains}, {@link SetKey#size} or {@link
 * ListKey#get}. Values of registers and elements are compared by their encoded bytes.
 */
public sealed interface Condition {
  /** The maximum nesting depth of conditions. */
  int MAX_DEPTH = 64;

  /**
   * Holds if all of some conditions hold.
   *
   * @param conditions may be empty; this then holds
   */
  record All(List<Condition> conditions) implements Condition {
    /** Copies the list. */
    public All {
      conditions = List.copyOf(conditions);
      conditions.forEach(Condition::checkDepth);
    }

    @Override
    public int depth() {
      return 1 + conditions.stream().mapToInt(Condition::depth).max().orElse(0);
    }

    @Override
    public boolean isMet(Answers answers) {
      return conditions.stream().allMatch(condition -> condition.isMet(answers));
    }

    @Override
    public Stream<Test<?, ?>> tests() {
      return conditions.stream().flatMap(Condition::tests);
    }
  }

  /**
   * Holds if at least one of some conditions holds.
   *
   * @param conditions may be empty; this then does not hold
   */
  record Any(List<Condition> conditions) implements Condition {
    /** Copies the list. */
    public Any {
      conditions = List.copyOf(conditions);
      conditions.forEach(Condition::checkDepth);
    }

    @Override
    public int depth() {
      return 1 + conditions.stream().mapToInt(Condition::depth).max().orElse(0);
    }

    @Override
    public boolean isMet(Answers answers) {
      return conditions.stream().anyMatch(condition -> condition.isMet(answers));
    }

    @Override
    public Stream<Test<?, ?>> tests() {
      return conditions.stream().flatMap(Condition::tests);
    }
  }

  /** Holds if a condition does not hold. */
  record Not(Condition condition) implements Condition {
    /** Checks the depth. */
    public Not {
      checkDepth(condition);
    }

    @Override
    public int depth() {
      return 1 + condition.depth();
    }

    @Override
    public boolean isMet(Answers answers) {
      return !condition.isMet(answers);
    }

    @Override
    public Stream<Test<?, ?>> tests() {
      return condition.tests();
    }
  }

  /** A comparison of the answer to one query. */
  sealed interface Test<A, V> extends Condition {
    /** The query as the caller wrote it. */
    Query<V> original();

    /** The query as a question about an object. */
    ObjectQuery<A, V> query();

    @Override
    default int depth() {
      return 1;
    }

    @Override
    default Stream<Test<?, ?>> tests() {
      return Stream.of(this);
    }
  }

  /** Holds if the answer to a query equals an expected one. */
  record Equality<A, V>(Query<V> original, ObjectQuery<A, V> query, A expected)
      implements Test<A, V> {
    @Override
    public boolean isMet(Answers answers) {
      return answers.of(query).equals(expected);
    }
  }

  /** The relation of a value to a bound. */
  enum Relation {
    /** Below the bound. */
    LESS,
    /** At or below the bound. */
    AT_MOST,
    /** At or above the bound. */
    AT_LEAST,
    /** Above the bound. */
    GREATER;

    private boolean holds(int comparison) {
      return switch (this) {
        case LESS -> comparison < 0;
        case AT_MOST -> comparison <= 0;
        case AT_LEAST -> comparison >= 0;
        case GREATER -> comparison > 0;
      };
    }
  }

  /** Holds if the answer to a query is a number in a relation to a bound. */
  record NumberComparison<A extends Number, V>(
      Query<V> original, ObjectQuery<A, V> query, Relation relation, long bound)
      implements Test<A, V> {
    @Override
    public boolean isMet(Answers answers) {
      return relation.holds(Long.compare(answers.of(query).longValue(), bound));
    }
  }

  /**
   * Holds if the answer to a query is a value in a relation to a bound; never for an absent value.
   */
  record ValueComparison<V>(
      Query<V> original, ObjectQuery<Optional<Bytes>, V> query, Relation relation, Bytes bound)
      implements Test<Optional<Bytes>, V> {
    @Override
    public boolean isMet(Answers answers) {
      return answers.of(query).filter(value -> relation.holds(value.compareTo(bound))).isPresent();
    }
  }

  /** The answers to the queries of a condition, all at one snapshot. */
  @FunctionalInterface
  interface Answers {
    /** The answer to a query. */
    <A> A of(ObjectQuery<A, ?> query);
  }

  /** Whether this condition holds. For implementations of {@link Store}. */
  boolean isMet(Answers answers);

  /** The nesting depth; 1 for a comparison. */
  int depth();

  private static void checkDepth(Condition inner) {
    if (inner.depth() >= MAX_DEPTH) {
      throw new LimitExceededException(
          "a condition exceeds the maximum nesting depth of %d: nest conditions less deeply"
              .formatted(MAX_DEPTH));
    }
  }

  /** The comparisons in this condition. For implementations of {@link Store}. */
  Stream<Test<?, ?>> tests();

  /**
   * Holds if the answer to a query equals an expected one.
   *
   * @param query a query about a part of an object, or the key of a counter, flag or register
   * @throws IllegalArgumentException if the query is the key of another type
   */
  static <V> Condition is(Query<V> query, V expected) {
    return is(query, objectQuery(query), expected);
  }

  /** Holds if the answer to a query is true. */
  static Condition holds(Query<Boolean> query) {
    return is(query, true);
  }

  /** Holds if a register has no value, or a list has no element at an index. */
  static <T> Condition isAbsent(Query<Optional<T>> query) {
    return is(query, Optional.empty());
  }

  /** Holds if a register has a value, or a list has an element at an index. */
  static <T> Condition isPresent(Query<Optional<T>> query) {
    return not(isAbsent(query));
  }

  /** Holds if a counter, count or size is below a bound. */
  static Condition less(Query<? extends Number> number, long bound) {
    return compare(number, Relation.LESS, bound);
  }

  /** Holds if a counter, count or size is at or below a bound. */
  static Condition atMost(Query<? extends Number> number, long bound) {
    return compare(number, Relation.AT_MOST, bound);
  }

  /** Holds if a counter, count or size is at or above a bound. */
  static Condition atLeast(Query<? extends Number> number, long bound) {
    return compare(number, Relation.AT_LEAST, bound);
  }

  /** Holds if a counter, count or size is above a bound. */
  static Condition greater(Query<? extends Number> number, long bound) {
    return compare(number, Relation.GREATER, bound);
  }

  /** Holds if a register has a value below a bound, in the order of the encoded bytes. */
  static <T> Condition less(RegisterKey<T> register, T bound) {
    return new ValueComparison<>(
        register, register.assigned(), Relation.LESS, register.encode(bound));
  }

  /** Holds if a register has a value at or below a bound, in the order of the encoded bytes. */
  static <T> Condition atMost(RegisterKey<T> register, T bound) {
    return new ValueComparison<>(
        register, register.assigned(), Relation.AT_MOST, register.encode(bound));
  }

  /** Holds if a register has a value at or above a bound, in the order of the encoded bytes. */
  static <T> Condition atLeast(RegisterKey<T> register, T bound) {
    return new ValueComparison<>(
        register, register.assigned(), Relation.AT_LEAST, register.encode(bound));
  }

  /** Holds if a register has a value above a bound, in the order of the encoded bytes. */
  static <T> Condition greater(RegisterKey<T> register, T bound) {
    return new ValueComparison<>(
        register, register.assigned(), Relation.GREATER, register.encode(bound));
  }

  /** Holds if all conditions hold. */
  static Condition all(Condition... conditions) {
    return new All(List.of(conditions));
  }

  /** Holds if at least one of the conditions holds. */
  static Condition any(Condition... conditions) {
    return new Any(List.of(conditions));
  }

  /** Holds if a condition does not hold. */
  static Condition not(Condition condition) {
    return new Not(condition);
  }

  /**
   * Like {@link #atLeast(Query, long)} and similar methods, for implementations of {@link Store}.
   *
   * @return empty if the answers are not numbers
   */
  static Optional<Condition> compare(ObjectQuery<?, ?> query, Relation relation, long bound) {
    return query.asNumber().map(number -> numbers(number, relation, bound));
  }

  /**
   * Like {@link #atLeast(RegisterKey, Object)} and similar methods, for implementations of {@link
   * Store}.
   *
   * @return empty if the answers are not optional values
   */
  static Optional<Condition> compare(ObjectQuery<?, ?> query, Relation relation, Bytes bound) {
    return query.asOptional().map(values -> values(values, relation, bound));
  }

  private static <A extends Number, V> Condition numbers(
      ObjectQuery<A, V> query, Relation relation, long bound) {
    return new NumberComparison<>(query, query, relation, bound);
  }

  private static <V> Condition values(
      ObjectQuery<Optional<Bytes>, V> query, Relation relation, Bytes bound) {
    return new ValueComparison<>(query, query, relation, bound);
  }

  private static <A, V> Condition is(Query<V> original, ObjectQuery<A, V> query, V expected) {
    return new Equality<>(
        original, query, query.encode(Objects.requireNonNull(expected, "expected")));
  }

  @SuppressWarnings("unchecked") // queries with numbers as decoded answers have numbers as answers
  private static <N extends Number> Condition compare(
      Query<N> number, Relation relation, long bound) {
    return new NumberComparison<>(
        number, (ObjectQuery<? extends Number, N>) objectQuery(number), relation, bound);
  }

  private static <V> ObjectQuery<?, V> objectQuery(Query<V> query) {
    if (query instanceof ObjectQuery<?, V> question) {
      return question;
    }
    return ((Key<V>) query)
        .valueQuery()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "a condition can't compare the whole of %s: compare a part of it, such as its size or an element"
                        .formatted(query)));
  }
}
