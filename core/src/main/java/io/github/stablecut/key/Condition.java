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
 * a value: creating one has no effect, and it can be sent to the objects' partition. Immutable.
 *
 * <pre>{@code
 * Condition inStock = Condition.atLeast(stock, 3);
 * Condition isOpen = Condition.is(status, Optional.of("open"));
 * store.compareAndUpdate(Condition.all(inStock, isOpen), stock.decrement(3));
 * }</pre>
 *
 * <p>It compares the answers to queries: counters, flags and registers themselves, and the parts of
 * collections, such as {@link SetKey#contains}, {@link SetKey#size} or {@link ListKey#get}. Values
 * of registers and elements are compared by their encoded bytes.
 */
public sealed interface Condition {
  /** Conditions are nested at most this deep. */
  int MAX_DEPTH = 64;

  /**
   * All of some conditions hold.
   *
   * @param conditions if there are none, this holds
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
   * One of some conditions holds.
   *
   * @param conditions if there are none, this does not hold
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

  /** A condition does not hold. */
  record Not(Condition condition) implements Condition {
    /** Checks the argument. */
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

  /** A condition on the answer to one query. */
  sealed interface Test<A, V> extends Condition {
    /** The query as it was given. */
    Query<V> asked();

    /** The query as a question. */
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

  /** The answer to a query is what is expected. */
  record Equality<A, V>(Query<V> asked, ObjectQuery<A, V> query, A expected) implements Test<A, V> {
    @Override
    public boolean isMet(Answers answers) {
      return answers.of(query).equals(expected);
    }
  }

  /** How a value is related to a bound. */
  enum Relation {
    /** Below it. */
    LESS,
    /** Below it, or the same. */
    AT_MOST,
    /** Above it, or the same. */
    AT_LEAST,
    /** Above it. */
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

  /** The answer to a query is a number on one side of a bound. */
  record NumberComparison<A extends Number, V>(
      Query<V> asked, ObjectQuery<A, V> query, Relation relation, long bound)
      implements Test<A, V> {
    @Override
    public boolean isMet(Answers answers) {
      return relation.holds(Long.compare(answers.of(query).longValue(), bound));
    }
  }

  /** The answer to a query is a value on one side of a bound; none is on neither side. */
  record ValueComparison<V>(
      Query<V> asked, ObjectQuery<Optional<Bytes>, V> query, Relation relation, Bytes bound)
      implements Test<Optional<Bytes>, V> {
    @Override
    public boolean isMet(Answers answers) {
      return answers.of(query).filter(value -> relation.holds(value.compareTo(bound))).isPresent();
    }
  }

  /** The answers to the queries of a condition, all at one moment. */
  @FunctionalInterface
  interface Answers {
    /** The answer to a query. */
    <A> A of(ObjectQuery<A, ?> query);
  }

  /** Whether this holds. For implementations of {@link Store}. */
  boolean isMet(Answers answers);

  /** How deep conditions are nested in this; 1 for a comparison. */
  int depth();

  private static void checkDepth(Condition inner) {
    if (inner.depth() >= MAX_DEPTH) {
      throw new LimitExceededException(
          "conditions are nested at most %d deep: nest them less".formatted(MAX_DEPTH));
    }
  }

  /** The comparisons that this consists of. For implementations of {@link Store}. */
  Stream<Test<?, ?>> tests();

  /**
   * The answer to a query is what is expected.
   *
   * @param query about a part of an object; or the key of a counter, flag or register
   * @throws IllegalArgumentException if it is the key of another object
   */
  static <V> Condition is(Query<V> query, V expected) {
    return is(query, asked(query), expected);
  }

  /** The answer to a query is yes. */
  static Condition holds(Query<Boolean> query) {
    return is(query, true);
  }

  /** A register has no value, or a list no element at an index. */
  static <T> Condition isAbsent(Query<Optional<T>> query) {
    return is(query, Optional.empty());
  }

  /** A register has a value, or a list an element at an index. */
  static <T> Condition isPresent(Query<Optional<T>> query) {
    return not(isAbsent(query));
  }

  /** A counter, count or size is below a bound. */
  static Condition less(Query<? extends Number> number, long bound) {
    return compare(number, Relation.LESS, bound);
  }

  /** A counter, count or size is a bound or below. */
  static Condition atMost(Query<? extends Number> number, long bound) {
    return compare(number, Relation.AT_MOST, bound);
  }

  /** A counter, count or size is a bound or above. */
  static Condition atLeast(Query<? extends Number> number, long bound) {
    return compare(number, Relation.AT_LEAST, bound);
  }

  /** A counter, count or size is above a bound. */
  static Condition greater(Query<? extends Number> number, long bound) {
    return compare(number, Relation.GREATER, bound);
  }

  /** A register has a value below a bound, in the order of their codec's bytes. */
  static <T> Condition less(RegisterKey<T> register, T bound) {
    return new ValueComparison<>(
        register, register.assigned(), Relation.LESS, register.encode(bound));
  }

  /** A register has a value that is a bound or below, in the order of their codec's bytes. */
  static <T> Condition atMost(RegisterKey<T> register, T bound) {
    return new ValueComparison<>(
        register, register.assigned(), Relation.AT_MOST, register.encode(bound));
  }

  /** A register has a value that is a bound or above, in the order of their codec's bytes. */
  static <T> Condition atLeast(RegisterKey<T> register, T bound) {
    return new ValueComparison<>(
        register, register.assigned(), Relation.AT_LEAST, register.encode(bound));
  }

  /** A register has a value above a bound, in the order of their codec's bytes. */
  static <T> Condition greater(RegisterKey<T> register, T bound) {
    return new ValueComparison<>(
        register, register.assigned(), Relation.GREATER, register.encode(bound));
  }

  /** All conditions hold. */
  static Condition all(Condition... conditions) {
    return new All(List.of(conditions));
  }

  /** One of the conditions holds, or several. */
  static Condition any(Condition... conditions) {
    return new Any(List.of(conditions));
  }

  /** A condition does not hold. */
  static Condition not(Condition condition) {
    return new Not(condition);
  }

  /**
   * As {@link #atLeast(Query, long)} and the others, for implementations of {@link Store}.
   *
   * @return empty if the answers are no numbers
   */
  static Optional<Condition> compare(ObjectQuery<?, ?> query, Relation relation, long bound) {
    return query.asNumber().map(number -> numbers(number, relation, bound));
  }

  /**
   * As {@link #atLeast(RegisterKey, Object)} and the others, for implementations of {@link Store}.
   *
   * @return empty if the answers are no values that may be absent
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

  private static <A, V> Condition is(Query<V> asked, ObjectQuery<A, V> query, V expected) {
    return new Equality<>(asked, query, query.encode(Objects.requireNonNull(expected, "expected")));
  }

  @SuppressWarnings("unchecked") // the answers that are shown as numbers are numbers
  private static <N extends Number> Condition compare(
      Query<N> number, Relation relation, long bound) {
    return new NumberComparison<>(
        number, (ObjectQuery<? extends Number, N>) asked(number), relation, bound);
  }

  private static <V> ObjectQuery<?, V> asked(Query<V> query) {
    if (query instanceof ObjectQuery<?, V> question) {
      return question;
    }
    return ((Key<V>) query)
        .valueQuery()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "a condition compares no whole %s: ask for a part of it, such as its size or an element"
                        .formatted(query)));
  }
}
