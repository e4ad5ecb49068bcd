package io.github.stablecut.object;

import io.github.stablecut.crdt.AnswerForm;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Called;
import io.github.stablecut.crdt.StreamCode;
import io.github.stablecut.crdt.StreamValue;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.object.Operation.None;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * An operation of a type as it is executed where an object is. Immutable.
 *
 * @param type the type
 * @param form the bytes of answers
 * @param executed makes the result of the log and the argument
 */
record TypeCode<S, R>(
    ObjectType<S> type, AnswerForm<Answered<R>> form, BiFunction<StreamValue, Bytes, R> executed)
    implements StreamCode<Answered<R>> {
  /** The name of what answers how large a log is, and executes nothing. */
  private static final String SIZES = "";

  static <S, A, R> TypeCode<S, R> of(
      ObjectType<S> type,
      Codec<A> arguments,
      Codec<R> results,
      BiFunction<? super S, ? super A, ? extends R> function) {
    return new TypeCode<>(
        type,
        Answered.form(results),
        (stream, argument) -> function.apply(stream.fold(type.fold()), arguments.decode(argument)));
  }

  /** The code of a type's operation; empty if there is none that can be executed elsewhere. */
  static <S> Optional<TypeCode<S, ?>> of(ObjectType<S> type, String operation) {
    if (operation.equals(SIZES)) {
      return Optional.of(sizes(type));
    }
    return type.operation(operation).flatMap(known -> of(type, known));
  }

  private static <S> Optional<TypeCode<S, ?>> of(ObjectType<S> type, Operation<S> operation) {
    if (operation instanceof Operation.Accessor<S, ?, ?> accessor) {
      return ofAccessor(type, accessor);
    }
    return operation instanceof Operation.MutatorAccessor<S, ?, ?> mutator
        ? ofMutator(type, mutator)
        : Optional.empty();
  }

  private static <S, A, R> Optional<TypeCode<S, ?>> ofAccessor(
      ObjectType<S> type, Operation.Accessor<S, A, R> accessor) {
    return accessor
        .sent()
        .map(sent -> of(type, sent.argument(), sent.result(), accessor.function()));
  }

  private static <S, A, R> Optional<TypeCode<S, ?>> ofMutator(
      ObjectType<S> type, Operation.MutatorAccessor<S, A, R> mutator) {
    return mutator
        .result()
        .map(
            results ->
                of(
                    type,
                    mutator.argument(),
                    results,
                    (S state, A argument) -> mutator.function().apply(state, argument).result()));
  }

  private static <S> TypeCode<S, None> sizes(ObjectType<S> type) {
    return new TypeCode<>(type, Answered.SIZES, (stream, argument) -> None.NONE);
  }

  /** The question how large a log is. */
  static <S> Called<Answered<None>> askSizes(ObjectType<S> type) {
    return sizes(type).call(SIZES, Bytes.EMPTY);
  }

  /** The question what the operation makes of an argument. */
  Called<Answered<R>> call(String operation, Bytes argument) {
    return new Called<>(type.name(), operation, argument, Optional.of(this));
  }

  @Override
  public Answered<R> answer(StreamValue stream, Bytes argument) {
    try {
      return answered(stream, Optional.of(executed.apply(stream, argument)), Optional.empty());
    } catch (StablecutException e) {
      throw e;
    } catch (RuntimeException e) {
      return answered(stream, Optional.empty(), Optional.of(e));
    }
  }

  private static <R> Answered<R> answered(
      StreamValue stream, Optional<R> result, Optional<RuntimeException> failure) {
    long summaryBytes = stream.summary().map(Bytes::length).orElse(0);
    return new Answered<>(stream.bytes(), summaryBytes, result, failure);
  }
}
