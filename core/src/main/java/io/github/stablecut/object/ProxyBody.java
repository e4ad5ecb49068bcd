package io.github.stablecut.object;

import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;

/**
 * The body of a default method of an interface that an {@link ObjectProxy} implements. Immutable.
 */
@FunctionalInterface
interface ProxyBody {
  /** Executes the body on the proxy of an object. */
  @Nullable Object execute(Object proxy, Object @Nullable [] arguments) throws Throwable;

  /**
   * Returns the body of a method.
   *
   * @throws IllegalArgumentException if its interface can't be accessed
   */
  static ProxyBody of(Method method) {
    Class<?> calls = method.getDeclaringClass();
    if (Modifier.isPublic(calls.getModifiers())
        && calls.getModule().isExported(calls.getPackageName(), ProxyBody.class.getModule())) {
      return (proxy, arguments) -> InvocationHandler.invokeDefault(proxy, method, arguments);
    }
    try {
      var body =
          MethodHandles.privateLookupIn(calls, MethodHandles.lookup())
              .unreflectSpecial(method, calls)
              .asFixedArity();
      return (proxy, arguments) ->
          body.bindTo(proxy).invokeWithArguments(arguments == null ? new Object[0] : arguments);
    } catch (IllegalAccessException e) {
      throw new IllegalArgumentException(
          "the body of %s can't be executed: make the interface public, or open its package to this module"
              .formatted(method),
          e);
    }
  }
}
