package io.github.stablecut.object;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * An operation of an {@link ObjectType}: a function over immutable states under a name that never
 * changes. Immutable.
 *
 * <p>The journal holds the names and arguments of calls, and every reader executes them again. So
 * the function of a mutator must be <em>deterministic</em>: it depends on nothing but its
 * arguments. A time, a random number, or an id is made by the caller, who passes it as an argument.
 * {@link SharedObject#verify} finds those that are not.
 *
 * <p>If it throws an exception, checked or not, an {@link AssertionError} or another error of its
 * own, if it returns null or never ends calling itself, the call has no effect, wherever it is
 * executed. A {@link VirtualMachineError} such as {@link OutOfMemoryError}, or a {@link
 * LinkageError}, says nothing of the call but of the process: whoever reads gets it, and the next
 * one executes the call again. If the reader's thread was interrupted, the call is executed on
 * another one.
 *
 * <p>In a cluster or on a server, an accessor or a mutator with a result is executed by the process
 * that has the object if it says how its result is encoded and that was started with its type
 * ({@link ObjectTypes}); otherwise the log is sent to the caller, who executes the calls.
 *
 * @param <S> the states
 */
public sealed interface Operation<S> {
  /** The name, 1 to 255 bytes of UTF-8; unique in the type. */
  String name();

  /**
   * Reads.
   *
   * @param sent how it is sent to another node; empty if it is executed where it is called
   * @param <A> the argument
   * @param <R> the result
   */
  record Accessor<S, A, R>(
      String name,
      Optional<Sent<A, R>> sent,
      BiFunction<? super S, ? super A, ? extends R> function)
      implements Operation<S> {
    /** Checks the name, and for nulls. */
    public Accessor {
      String unused = OperationNames.checked("an operation", name);
      Objects.requireNonNull(sent, "sent");
      Objects.requireNonNull(function, "function");
    }
  }

  /**
   * How a call of an accessor is sent to the node that has the object.
   *
   * @param argument encodes the argument
   * @param result encodes the result
   */
  record Sent<A, R>(Codec<A> argument, Codec<R> result) {
    /** Checks for nulls. */
    public Sent {
      Objects.requireNonNull(argument, "argument");
      Objects.requireNonNull(result, "result");
    }
  }

  /** An operation whose calls are logged. */
  sealed interface Logged<S, A> extends Operation<S> {
    /** Encodes arguments. */
    Codec<A> argument();

    /** The state after a call. */
    S apply(S state, A argument);
  }

  /**
   * Changes the state and returns nothing: a call of it is blind, which costs no read, and
   * conflicts with nothing.
   *
   * @param <A> the argument
   */
  record Mutator<S, A>(
      String name, Codec<A> argument, BiFunction<? super S, ? super A, ? extends S> function)
      implements Logged<S, A> {
    /** Checks the name, and for nulls. */
    public Mutator {
      String unused = OperationNames.checked("an operation", name);
      Objects.requireNonNull(argument, "argument");
      Objects.requireNonNull(function, "function");
    }

    @Override
    public S apply(S state, A given) {
      return function.apply(state, given);
    }
  }

  /**
   * Changes the state and returns something of what it found.
   *
   * @param result encodes the result, if it may be executed on another node; otherwise empty
   * @param <A> the argument
   * @param <R> the result
   */
  record MutatorAccessor<S, A, R>(
      String name,
      Codec<A> argument,
      Optional<Codec<R>> result,
      BiFunction<? super S, ? super A, ? extends Outcome<S, R>> function)
      implements Logged<S, A> {
    /** Checks the name, and for nulls. */
    public MutatorAccessor {
      String unused = OperationNames.checked("an operation", name);
      Objects.requireNonNull(argument, "argument");
      Objects.requireNonNull(result, "result");
      Objects.requireNonNull(function, "function");
    }

    @Override
    public S apply(S state, A given) {
      return function.apply(state, given).state();
    }
  }

  /** What a {@link MutatorAccessor} makes. */
  record Outcome<S, R>(S state, R result) {
    /** Checks for nulls. */
    public Outcome {
      Objects.requireNonNull(state, "an operation has made no state: let it throw instead");
      Objects.requireNonNull(
          result, "an operation has returned null: let it return an Optional, or have no result");
    }

    /**
     * Whether it is a call to be logged. One that leaves a collection as it is, is not; states of
     * users' types may be changed in place, against the rules, and what was called must stay.
     */
    boolean changes(S before) {
      return state != before || !(before instanceof Tree);
    }
  }

  /** No argument. */
  enum None {
    /** The only one. */
    NONE;

    static final Codec<None> CODEC = Codec.bytes().map(none -> Bytes.EMPTY, bytes -> NONE);
  }

  /** An accessor without an argument. */
  static <S, R> Accessor<S, None, R> accessor(
      String name, Function<? super S, ? extends R> function) {
    return new Accessor<>(name, Optional.empty(), (state, none) -> function.apply(state));
  }

  /**
   * An accessor without an argument that is executed where the object is.
   *
   * @param result encodes the result
   */
  static <S, R> Accessor<S, None, R> accessor(
      String name, Codec<R> result, Function<? super S, ? extends R> function) {
    return new Accessor<>(
        name, Optional.of(new Sent<>(None.CODEC, result)), (state, none) -> function.apply(state));
  }

  /** An accessor. */
  static <S, A, R> Accessor<S, A, R> accessor(
      String name, BiFunction<? super S, ? super A, ? extends R> function) {
    return new Accessor<>(name, Optional.empty(), function);
  }

  /**
   * An accessor that is executed where the object is.
   *
   * @param argument encodes the argument
   * @param result encodes the result
   */
  static <S, A, R> Accessor<S, A, R> accessor(
      String name,
      Codec<A> argument,
      Codec<R> result,
      BiFunction<? super S, ? super A, ? extends R> function) {
    return new Accessor<>(name, Optional.of(new Sent<>(argument, result)), function);
  }

  /** A mutator without an argument. */
  static <S> Mutator<S, None> mutator(String name, UnaryOperator<S> function) {
    return new Mutator<>(name, None.CODEC, (state, none) -> function.apply(state));
  }

  /** A mutator. */
  static <S, A> Mutator<S, A> mutator(
      String name, Codec<A> argument, BiFunction<? super S, ? super A, ? extends S> function) {
    return new Mutator<>(name, argument, function);
  }

  /** A mutator with a result and without an argument. */
  static <S, R> MutatorAccessor<S, None, R> mutatorAccessor(
      String name, Function<? super S, ? extends Outcome<S, R>> function) {
    return new MutatorAccessor<>(
        name, None.CODEC, Optional.empty(), (state, none) -> function.apply(state));
  }

  /**
   * A mutator with a result and without an argument that is executed where the object is.
   *
   * @param result encodes the result
   */
  static <S, R> MutatorAccessor<S, None, R> mutatorAccessor(
      String name, Codec<R> result, Function<? super S, ? extends Outcome<S, R>> function) {
    return new MutatorAccessor<>(
        name, None.CODEC, Optional.of(result), (state, none) -> function.apply(state));
  }

  /** A mutator with a result. */
  static <S, A, R> MutatorAccessor<S, A, R> mutatorAccessor(
      String name,
      Codec<A> argument,
      BiFunction<? super S, ? super A, ? extends Outcome<S, R>> function) {
    return new MutatorAccessor<>(name, argument, Optional.empty(), function);
  }

  /**
   * A mutator with a result that is executed where the object is.
   *
   * @param argument encodes the argument
   * @param result encodes the result
   */
  static <S, A, R> MutatorAccessor<S, A, R> mutatorAccessor(
      String name,
      Codec<A> argument,
      Codec<R> result,
      BiFunction<? super S, ? super A, ? extends Outcome<S, R>> function) {
    return new MutatorAccessor<>(name, argument, Optional.of(result), function);
  }
}
