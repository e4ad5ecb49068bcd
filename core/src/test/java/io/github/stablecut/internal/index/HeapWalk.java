package io.github.stablecut.internal.index;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Adds up the sizes of all objects reachable from one, on a 64-bit JVM with compressed references.
 * Confined to one thread.
 */
final class HeapWalk {
  private static final int HEADER_BYTES = 12;
  private static final int ARRAY_HEADER_BYTES = 16;
  private static final int REFERENCE_BYTES = 4;
  private static final int ALIGNMENT = 8;

  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Deque<Object> left = new ArrayDeque<>();

  private HeapWalk() {}

  /**
   * The size of an object with everything that it refers to, except for classes, enums and
   * constants.
   */
  static long bytes(Object from) throws IllegalAccessException {
    HeapWalk walk = new HeapWalk();
    walk.reached(from);
    long bytes = 0;
    while (!walk.left.isEmpty()) {
      bytes += walk.visit(walk.left.remove());
    }
    return bytes;
  }

  private void reached(@Nullable Object object) {
    if (object != null
        && !(object instanceof Class<?> || object instanceof Enum<?>)
        && !isConstant(object)
        && seen.add(object)) {
      left.add(object);
    }
  }

  /** Whether a static field of its class refers to an object. */
  private static boolean isConstant(Object object) {
    if (!object.getClass().getName().startsWith("io.github.stablecut.")) {
      return false;
    }
    for (Field field : object.getClass().getDeclaredFields()) {
      if (Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
        field.setAccessible(true);
        try {
          if (field.get(null) == object) {
            return true;
          }
        } catch (IllegalAccessException e) {
          throw new IllegalStateException(e);
        }
      }
    }
    return false;
  }

  private long visit(Object object) throws IllegalAccessException {
    Class<?> type = object.getClass();
    if (object instanceof String text) {
      return aligned(HEADER_BYTES + 12) + aligned(ARRAY_HEADER_BYTES + 2L * text.length());
    }
    if (object instanceof Number) {
      return aligned(HEADER_BYTES + Long.BYTES);
    }
    if (type.isArray()) {
      return visitArray(object, type.getComponentType());
    }
    long bytes = HEADER_BYTES;
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      for (Field field : each.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())) {
          bytes += sizeOf(field.getType());
          if (!field.getType().isPrimitive()) {
            field.setAccessible(true);
            reached(field.get(object));
          }
        }
      }
    }
    return aligned(bytes);
  }

  private long visitArray(Object array, Class<?> component) {
    int length = Array.getLength(array);
    if (!component.isPrimitive()) {
      for (Object each : (Object[]) array) {
        reached(each);
      }
    }
    return aligned(ARRAY_HEADER_BYTES + (long) length * sizeOf(component));
  }

  private static int sizeOf(Class<?> type) {
    if (!type.isPrimitive()) {
      return REFERENCE_BYTES;
    }
    if (type == long.class || type == double.class) {
      return 8;
    }
    return type == int.class || type == float.class
        ? 4
        : type == short.class || type == char.class ? 2 : 1;
  }

  private static long aligned(long bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }
}
