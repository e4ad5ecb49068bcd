package io.github.stablecut.object;

import io.github.stablecut.object.Operation.Accessor;
import io.github.stablecut.object.Operation.Mutator;
import io.github.stablecut.object.Operation.MutatorAccessor;
import io.github.stablecut.object.Operation.None;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An implementation of an interface by an object. As thread-safe as the object. */
final class ObjectProxy<S> implements InvocationHandler {
  private static final String EQUALS = "equals";

  private final SharedObject<S> object;
  private final Class<?> calls;
  private final Map<Method, ProxyMethod<S>> operations = new HashMap<>();
  private final Map<Method, ProxyBody> bodies = new HashMap<>();

  private ObjectProxy(SharedObject<S> object, Class<?> calls) {
    this.object = object;
    this.calls = calls;
    ProxyMethod.of(calls).forEach(this::add);
  }

  private void add(Method method) {
    if (ProxyMethod.isOperation(method)) {
      operations.put(method, ProxyMethod.of(object.type(), method));
    } else {
      bodies.put(method, ProxyBody.of(method));
    }
  }

  static <S, I> I of(SharedObject<S> object, Class<I> calls) {
    if (!calls.isInterface() || calls.isAnnotation()) {
      throw new IllegalArgumentException(
          calls.getName() + " is not an interface of an object's operations");
    }
    return calls.cast(
        Proxy.newProxyInstance(
            calls.getClassLoader(), new Class<?>[] {calls}, new ObjectProxy<>(object, calls)));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    ProxyMethod<S> operation = operations.get(method);
    if (operation != null) {
      return invoke(operation, arguments);
    }
    ProxyBody body = bodies.get(method);
    return body == null ? ofObject(proxy, method, arguments) : body.execute(proxy, arguments);
  }

  @SuppressWarnings("unchecked") // the interface declares the argument's class
  private @Nullable Object invoke(ProxyMethod<S> called, Object @Nullable [] arguments) {
    Object argument =
        arguments == null || arguments.length == 0
            ? None.NONE
            : Objects.requireNonNull(
                arguments[0], () -> "the argument of " + called.method() + " can't be null");
    called.accept(argument);
    if (called.operation() instanceof Accessor<S, ?, ?> accessor) {
      Object result = object.get((Accessor<S, Object, Object>) accessor, argument);
      called.returns(result);
      return result;
    }
    if (called.operation() instanceof Mutator<S, ?> mutator) {
      object.call((Mutator<S, Object>) mutator, argument);
      return null;
    }
    return object.call(
        (MutatorAccessor<S, Object, Object>) called.operation(), argument, called::returns);
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
