package io.github.stablecut.crdt.codec;

import io.github.stablecut.crdt.FormatException;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** Takes records of a class apart, and makes new ones. Immutable. */
final class RecordAccess<R> {
  private final Class<R> type;
  private final Constructor<R> constructor;
  private final Map<String, RecordComponent> components = new LinkedHashMap<>();

  /**
   * @throws ValueRefusedException if the class is no record, or not open for this
   */
  RecordAccess(Class<R> type) {
    if (!type.isRecord()) {
      throw new ValueRefusedException(
          type.getName() + " is no record: take KryoCodec or JsonCodec");
    }
    this.type = type;
    for (RecordComponent component : type.getRecordComponents()) {
      components.put(component.getName(), component);
      open(component.getAccessor());
    }
    try {
      constructor =
          type.getDeclaredConstructor(
              components.values().stream().map(RecordComponent::getType).toArray(Class<?>[]::new));
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("every record has this constructor", e);
    }
    open(constructor);
  }

  private void open(AccessibleObject member) {
    try {
      member.setAccessible(true);
    } catch (InaccessibleObjectException e) {
      throw new ValueRefusedException(
          "%s is in a module that does not let its records be made: write `opens %s;` in its module-info.java"
              .formatted(type.getName(), type.getPackageName()),
          e);
    }
  }

  Class<R> type() {
    return type;
  }

  /** The components by name, in their order. */
  Map<String, RecordComponent> components() {
    return components;
  }

  /**
   * The value of a component.
   *
   * @throws ValueRefusedException if it is null
   */
  Object valueOf(R value, String component) {
    Method accessor = Objects.requireNonNull(components.get(component)).getAccessor();
    Object part;
    try {
      part = accessor.invoke(value);
    } catch (InvocationTargetException e) {
      throw new ValueRefusedException(accessor + " threw " + e.getCause(), e.getCause());
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("was made accessible", e);
    }
    if (part == null) {
      throw new ValueRefusedException(
          "component %s of %s is null: make it an Optional, or give it a value that means none"
              .formatted(component, type.getName()));
    }
    return part;
  }

  /**
   * A new record.
   *
   * @param parts the values of all components, in their order
   * @throws FormatException if the constructor refuses them
   */
  R make(Object[] parts) {
    try {
      return constructor.newInstance(parts);
    } catch (InvocationTargetException e) {
      throw new FormatException(
          "%s refuses what it is made of, %s: %s"
              .formatted(type.getName(), Arrays.toString(parts), e.getCause()),
          e.getCause());
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      throw new FormatException(
          "a codec gives a component of %s a value of another class: %s"
              .formatted(type.getName(), e.getMessage()),
          e);
    }
  }
}
