package io.github.stablecut.examples.bench.guard;

import static java.lang.invoke.MethodType.methodType;

import io.github.stablecut.examples.bench.counter.CounterTarget;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Counters of a store of any version. Types have moved to other packages and changed their
 * supertypes, so this class is not linked with them: it looks up their methods by name. The
 * compiler treats a constant handle as a direct call.
 */
final class AnyStoreCounters implements CounterTarget {
  private static final String ROOT = "io.github.stablecut.";
  private static final Class<?> STORE = type(ROOT + "Store");
  private static final Class<?> KEY = type(ROOT + "key.Key", ROOT + "Key");
  private static final Class<?> COUNTER = type(ROOT + "key.CounterKey", ROOT + "CounterKey");
  private static final Class<?> UPDATES = type(ROOT + "key.Update", ROOT + "Update").arrayType();

  private static final MethodHandle OPEN =
      handle(type(ROOT + "Stablecut"), "open", Path.class)
          .asType(methodType(Object.class, Path.class));
  private static final MethodHandle KEY_OF =
      handle(KEY, "counter", String.class, String.class)
          .asType(methodType(Object.class, String.class, String.class));
  private static final MethodHandle INCREMENT =
      handle(COUNTER, "increment").asType(methodType(Object.class, Object.class));
  private static final MethodHandle UPDATE =
      handle(STORE, "update", UPDATES)
          .asCollector(UPDATES, 1)
          .asType(methodType(void.class, Object.class, Object.class));
  private static final MethodHandle READ =
      handle(STORE, "read", COUNTER).asType(methodType(long.class, Object.class, Object.class));

  private final AutoCloseable store;
  private final List<Object> keys;

  AnyStoreCounters(Path directory, int counters) {
    store = (AutoCloseable) call(() -> OPEN.invokeExact(directory));
    keys =
        IntStream.range(0, counters)
            .mapToObj(i -> call(() -> KEY_OF.invokeExact("bench", "counter-" + i)))
            .toList();
  }

  /** The first type of these names that exists. */
  private static Class<?> type(String... names) {
    return Stream.of(names)
        .flatMap(name -> find(name).stream())
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "this version of the store has none of " + List.of(names)));
  }

  private static Optional<Class<?>> find(String name) {
    try {
      return Optional.of(Class.forName(name));
    } catch (ClassNotFoundException e) {
      return Optional.empty();
    }
  }

  /** The public method of a name that accepts arguments of these types. */
  private static MethodHandle handle(Class<?> type, String name, Class<?>... arguments) {
    Method found =
        Stream.of(type.getMethods())
            .filter(method -> method.getName().equals(name) && accepts(method, arguments))
            .findFirst()
            .orElseThrow(() -> new IllegalStateException(type + " has no such method " + name));
    try {
      return MethodHandles.publicLookup().unreflect(found).asFixedArity();
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean accepts(Method method, Class<?>... arguments) {
    Class<?>[] parameters = method.getParameterTypes();
    return parameters.length == arguments.length
        && IntStream.range(0, parameters.length)
            .allMatch(i -> parameters[i].isAssignableFrom(arguments[i]));
  }

  @Override
  public void increment(int counter) {
    Object key = keys.get(counter);
    try {
      UPDATE.invokeExact((Object) store, (Object) INCREMENT.invokeExact(key));
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  @Override
  public long read(int counter) {
    try {
      return (long) READ.invokeExact((Object) store, keys.get(counter));
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  @Override
  public void close() {
    try {
      store.close();
    } catch (Exception e) {
      throw failed(e);
    }
  }

  @FunctionalInterface
  private interface Call {
    Object run() throws Throwable;
  }

  private static Object call(Call call) {
    try {
      return call.run();
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  private static RuntimeException failed(Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    return failure instanceof RuntimeException known ? known : new IllegalStateException(failure);
  }
}
