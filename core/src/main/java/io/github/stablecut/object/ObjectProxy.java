package io.github.stablecut.object;

import io.github.stablecut.object.Operation.Accessor;
import io.github.stablecut.object.Operation.Mutator;
import io.github.stablecut.object.Operation.MutatorAccessor;
import io.github.stablecut.object.Operation.None;
import java.lang.annotation.Annotation;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An object behind an interface. As thread-safe as the object. */
final class ObjectProxy<S> implements InvocationHandler {
  private static final String EQUALS = "equals";

  private final SharedObject<S> object;
  private final Class<?> calls;
  private final Map<Method, Operation<S>> operations;

  private ObjectProxy(
      SharedObject<S> object, Class<?> calls, Map<Method, Operation<S>> operations) {
    this.object = object;
    this.calls = calls;
    this.operations = operations;
  }

  static <S, I> I of(SharedObject<S> object, Class<I> calls) {
    if (!calls.isInterface()) {
      throw new IllegalArgumentException(calls.getName() + " is no interface");
    }
    Map<Method, Operation<S>> operations = new HashMap<>();
    for (Method method : calls.getMethods()) {
      operations.put(method, operation(object.type(), method));
    }
    return calls.cast(
        Proxy.newProxyInstance(
            calls.getClassLoader(),
            new Class<?>[] {calls},
            new ObjectProxy<>(object, calls, operations)));
  }

  private static <S> Operation<S> operation(ObjectType<S> type, Method method) {
    Operation<S> operation =
        type.operation(method.getName())
            .orElseThrow(() -> refused(method, "%s has no operation of this name".formatted(type)));
    Class<? extends Annotation> wanted = annotationOf(operation);
    if (!method.isAnnotationPresent(wanted)) {
      throw refused(
          method, "it is a @%s of %s and must say so".formatted(wanted.getSimpleName(), type));
    }
    if (method.getParameterCount() > 1) {
      throw refused(method, "an operation has one argument at most: make a record of several");
    }
    if (operation instanceof Mutator && method.getReturnType() != void.class) {
      throw refused(method, "a mutator returns nothing");
    }
    return operation;
  }

  private static Class<? extends Annotation> annotationOf(Operation<?> operation) {
    if (operation instanceof Accessor) {
      return io.github.stablecut.object.annotation.Accessor.class;
    }
    return operation instanceof Mutator
        ? io.github.stablecut.object.annotation.Mutator.class
        : io.github.stablecut.object.annotation.MutatorAccessor.class;
  }

  private static IllegalArgumentException refused(Method method, String why) {
    return new IllegalArgumentException("%s is no call of an object: %s".formatted(method, why));
  }

  @Override
  @SuppressWarnings("unchecked") // the interface says which argument an operation has
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) {
    Operation<S> operation = operations.get(method);
    if (operation == null) {
      return ofObject(proxy, method, arguments);
    }
    Object argument = arguments == null || arguments.length == 0 ? None.NONE : arguments[0];
    if (operation instanceof Accessor<S, ?, ?> accessor) {
      return object.get((Accessor<S, Object, Object>) accessor, argument);
    }
    if (operation instanceof Mutator<S, ?> mutator) {
      object.call((Mutator<S, Object>) mutator, argument);
      return null;
    }
    return object.call((MutatorAccessor<S, Object, Object>) operation, argument);
  }

  private Object ofObject(Object proxy, Method method, Object @Nullable [] arguments) {
    if (method.getName().equals(EQUALS)) {
      return arguments != null && proxy == arguments[0];
    }
    return method.getReturnType() == int.class
        ? System.identityHashCode(proxy)
        : calls.getSimpleName() + " of " + object;
  }
}
