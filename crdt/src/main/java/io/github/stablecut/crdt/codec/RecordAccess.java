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

/** Reflective access to a record class: reads components and creates records. Immutable. */
final class RecordAccess<R> {
  private final Class<R> type;
  private final Constructor<R> constructor;
  private final Map<String, RecordComponent> components = new LinkedHashMap<>();

  /**
   * @throws ValueRefusedException if the class is not a record, or its package is not open
   */
  RecordAccess(Class<R> type) {
    if (!type.isRecord()) {
      throw new ValueRefusedException(
          type.getName() + " is not a record: use KryoCodec or JsonCodec");
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
          "%s is in a module that does not permit creating its records: add `opens %s;` to its module-info.java"
              .formatted(type.getName(), type.getPackageName()),
          e);
    }
  }

  Class<R> type() {
    return type;
  }

  /** The components by name, in declaration order. */
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
    Object componentValue;
    try {
      componentValue = accessor.invoke(value);
    } catch (InvocationTargetException e) {
      throw new ValueRefusedException(accessor + " threw " + e.getCause(), e.getCause());
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("was made accessible", e);
    }
    if (componentValue == null) {
      throw new ValueRefusedException(
          "component %s of %s is null: make it an Optional, or give it a value that means none"
              .formatted(component, type.getName()));
    }
    return componentValue;
  }

  /**
   * Creates a record.
   *
   * @param values the values of all components, in declaration order
   * @throws FormatException if the constructor refuses them
   */
  R make(Object[] values) {
    try {
      return constructor.newInstance(values);
    } catch (InvocationTargetException e) {
      throw new FormatException(
          "the constructor of %s refuses the values %s: %s"
              .formatted(type.getName(), Arrays.toString(values), e.getCause()),
          e.getCause());
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      throw new FormatException(
          "a codec decoded a value of another class for a component of %s: %s"
              .formatted(type.getName(), e.getMessage()),
          e);
    }
  }
}
