package io.github.stablecut.object;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.Operation.Accessor;
import io.github.stablecut.object.Operation.Logged;
import io.github.stablecut.object.Operation.Mutator;
import io.github.stablecut.object.Operation.MutatorAccessor;
import io.github.stablecut.object.Operation.None;
import io.github.stablecut.object.Operation.RemoteCodecs;
import java.lang.annotation.Annotation;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A method of an interface that stands for an operation. Operations don't declare the classes of
 * their arguments and results. Therefore, the operation's codecs test them. The first use of the
 * interface tests a sample value, if the class is a number or a text. Each call tests the actual
 * value. Immutable.
 */
record ProxyMethod<S>(Method method, Operation<S> operation) {
  private static final List<Class<? extends Annotation>> ANNOTATIONS =
      List.of(
          io.github.stablecut.object.annotation.Accessor.class,
          io.github.stablecut.object.annotation.Mutator.class,
          io.github.stablecut.object.annotation.MutatorAccessor.class);

  /** A sample value of each class that has similar values only. */
  private static final Map<Class<?>, Object> SAMPLES =
      Map.of(
          Integer.class,
          1,
          Long.class,
          1L,
          Short.class,
          (short) 1,
          Byte.class,
          (byte) 1,
          Double.class,
          1.0,
          Float.class,
          1f,
          Boolean.class,
          true,
          Character.class,
          'a',
          String.class,
          "a");

  /**
   * Returns the method with its operation.
   *
   * @throws IllegalArgumentException if the method matches no operation
   */
  static <S> ProxyMethod<S> of(ObjectType<S> type, Method method) {
    Operation<S> operation =
        type.operation(method.getName())
            .orElseThrow(() -> refused(method, "%s has no operation of this name".formatted(type)));
    Class<? extends Annotation> expectedAnnotation = annotationOf(operation);
    if (!method.isAnnotationPresent(expectedAnnotation)
        || ANNOTATIONS.stream().filter(method::isAnnotationPresent).count() > 1) {
      throw refused(
          method,
          "it is a @%s of %s, and needs this annotation and no other"
              .formatted(expectedAnnotation.getSimpleName(), type));
    }
    if (method.isDefault()) {
      throw refused(method, "it has a body: remove the body or the annotation");
    }
    ProxyMethod<S> made = new ProxyMethod<>(method, operation);
    made.checkArgument();
    made.checkResult();
    return made;
  }

  private static Class<? extends Annotation> annotationOf(Operation<?> operation) {
    return ANNOTATIONS.get(
        operation instanceof Accessor ? 0 : operation instanceof Mutator ? 1 : 2);
  }

  /**
   * Returns whether a method stands for an operation, validly or not. A bridge method carries the
   * annotations of the inherited method that it calls, but stands for none.
   */
  static boolean isOperation(Method method) {
    return !method.isBridge() && (isDeclared(method) || !method.isDefault());
  }

  private static boolean isDeclared(Method method) {
    return ANNOTATIONS.stream().anyMatch(method::isAnnotationPresent);
  }

  private static IllegalArgumentException refused(Method method, String why) {
    return new IllegalArgumentException(
        "%s is not an operation of the object: %s".formatted(method, why));
  }

  /** Returns the codec of arguments; empty if the operation declares none. */
  private Optional<Codec<?>> arguments() {
    if (operation instanceof Logged<S, ?> logged) {
      return Optional.of(logged.argument());
    }
    return ((Accessor<S, ?, ?>) operation).sent().map(RemoteCodecs::argument);
  }

  private Optional<Codec<?>> results() {
    if (operation instanceof MutatorAccessor<S, ?, ?> mutator) {
      return mutator.result().map(codec -> codec);
    }
    return operation instanceof Accessor<S, ?, ?> accessor
        ? accessor.sent().map(RemoteCodecs::result)
        : Optional.empty();
  }

  private void checkArgument() {
    int count = method.getParameterCount();
    if (count > 1) {
      throw refused(method, "an operation has at most one argument: combine several into a record");
    }
    boolean takesNone = arguments().filter(None.CODEC::equals).isPresent();
    if (takesNone && count == 1) {
      throw refused(method, "the operation has no argument");
    }
    if (!takesNone && count == 0 && arguments().isPresent()) {
      throw refused(method, "the operation has an argument");
    }
    for (Class<?> parameter : method.getParameterTypes()) {
      checkClass(boxed(parameter), arguments(), "takes no argument of class");
    }
  }

  private void checkResult() {
    Class<?> returned = boxed(method.getReturnType());
    if (operation instanceof Mutator && returned != Void.class) {
      throw refused(method, "a mutator returns nothing");
    }
    if (operation instanceof Accessor && returned == Void.class) {
      throw refused(method, "an accessor returns something");
    }
    checkClass(returned, results(), "has no result of class");
  }

  private void checkClass(Class<?> type, Optional<Codec<?>> codec, String what) {
    if (codec.isEmpty() || !SAMPLES.containsKey(type)) {
      return;
    }
    try {
      encode(codec.get(), SAMPLES.get(type));
    } catch (ClassCastException e) {
      throw refused(method, "the operation %s %s".formatted(what, type.getSimpleName()));
    } catch (RuntimeException e) {
      // A codec may refuse the value.
    }
  }

  /** Encodes a value that may not be one of the codec's. */
  @CanIgnoreReturnValue
  @SuppressWarnings("unchecked") // the caller tests this very cast
  private static Bytes encode(Codec<?> codec, Object value) {
    return ((Codec<Object>) codec).encode(value);
  }

  private static Class<?> boxed(Class<?> any) {
    return MethodType.methodType(any).wrap().returnType();
  }

  /** Checks the argument of a call before the call has an effect. */
  void accept(Object argument) {
    Optional<Codec<?>> codec = arguments();
    if (codec.isEmpty()) {
      return;
    }
    try {
      encode(codec.get(), argument);
    } catch (ClassCastException e) {
      throw new IllegalArgumentException(
          "%s was called with a %s, which is not an argument of the operation; nothing was changed"
              .formatted(method, argument.getClass().getName()),
          e);
    }
  }

  /** Checks the result of a call before the call has an effect. */
  void returns(@Nullable Object result) {
    Class<?> returned = boxed(method.getReturnType());
    if (result == null && !method.getReturnType().isPrimitive()) {
      return;
    }
    if (returned != Void.class && !returned.isInstance(result)) {
      throw new IllegalArgumentException(
          "%s can't return the %s that is the operation's result; nothing was changed: correct the interface"
              .formatted(method, result == null ? "null" : result.getClass().getName()));
    }
  }

  /** Returns the methods of an interface that are neither static nor declared by {@link Object}. */
  static Stream<Method> of(Class<?> calls) {
    return Stream.of(calls.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .filter(method -> isDeclared(method) || !isOfAnyObject(method));
  }

  /** Returns whether a method redeclares equals, hashCode or toString. */
  private static boolean isOfAnyObject(Method method) {
    return Stream.of(Object.class.getMethods())
        .anyMatch(
            known ->
                known.getName().equals(method.getName())
                    && List.of(known.getParameterTypes())
                        .equals(List.of(method.getParameterTypes())));
  }
}
