package io.github.stablecut.crdt.codec;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.serializers.DefaultSerializers;
import com.esotericsoftware.kryo.serializers.FieldSerializer;
import com.esotericsoftware.kryo.serializers.RecordSerializer;
import com.esotericsoftware.kryo.util.DefaultClassResolver;
import com.esotericsoftware.kryo.util.MapReferenceResolver;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The classes that {@link KryoCodec} supports, and their numbers: 0 to 8 are Kryo's for primitive
 * types and strings, 10 to 99 are for JDK classes, the others for users' classes. All serializers
 * check lengths before they allocate: Kryo's for single values and arrays of primitive types, which
 * read lengths through {@link CheckedInput}, and {@link KryoContainers}.
 */
final class KryoTypes {
  /** The lowest number of a user's class. */
  static final int FIRST_ID = 100;

  private KryoTypes() {}

  /**
   * Refuses a class that can't be registered.
   *
   * @throws ValueRefusedException if the class can't be registered
   */
  static void check(Class<?> type, int id) {
    if (id < FIRST_ID) {
      throw new ValueRefusedException(
          "%s: number %d is reserved: use %d or above".formatted(type.getName(), id, FIRST_ID));
    }
    Class<?> element = type;
    while (element.isArray()) {
      element = element.getComponentType();
    }
    if (type.isArray() || type.isEnum() || type.isRecord()) {
      return;
    }
    if (element.getName().startsWith("java.")) {
      throw new ValueRefusedException(
          type.getName() + " is not a supported class of the JDK: convert it");
    }
    if (type.isInterface() || Modifier.isAbstract(type.getModifiers())) {
      throw new ValueRefusedException(
          type.getName() + " has no instances: register the classes that implement it");
    }
    if (Stream.of(type.getDeclaredConstructors()).noneMatch(c -> c.getParameterCount() == 0)) {
      throw new ValueRefusedException(
          type.getName() + " has no constructor without parameters: add one, or make it a record");
    }
  }

  /** Creates a Kryo with the predefined classes and the given ones of the user. */
  static Kryo newKryo(SortedMap<Integer, Class<?>> classes, boolean references) {
    Kryo kryo = new RegisteredOnly(references);
    kryo.setMaxDepth(Encoder.MAX_DEPTH);
    kryo.setOptimizedGenerics(false);
    registerSingleValues(kryo);
    registerContainers(kryo);
    classes.forEach((id, type) -> kryo.register(type, serializer(kryo, type), id));
    return kryo;
  }

  private static Serializer<?> serializer(Kryo kryo, Class<?> type) {
    if (type.isArray()) {
      return type.getComponentType().isPrimitive()
          ? kryo.getDefaultSerializer(type)
          : new KryoContainers.ArraySerializer(type.getComponentType());
    }
    if (type.isEnum()) {
      return kryo.getDefaultSerializer(type);
    }
    return type.isRecord() ? new RecordSerializer<>(type) : new FieldSerializer<>(kryo, type);
  }

  private static void registerSingleValues(Kryo kryo) {
    kryo.register(byte[].class, 10);
    kryo.register(short[].class, 11);
    kryo.register(char[].class, 12);
    kryo.register(int[].class, 13);
    kryo.register(long[].class, 14);
    kryo.register(float[].class, 15);
    kryo.register(double[].class, 16);
    kryo.register(boolean[].class, 17);
    kryo.register(String[].class, new KryoContainers.ArraySerializer(String.class), 18);
    kryo.register(BigInteger.class, 40);
    kryo.register(BigDecimal.class, 41);
    kryo.register(UUID.class, new DefaultSerializers.UUIDSerializer(), 42);
    kryo.register(Optional.class, 43);
    kryo.register(Instant.class, 50);
    kryo.register(Duration.class, 51);
    kryo.register(LocalDate.class, 52);
    kryo.register(LocalTime.class, 53);
    kryo.register(LocalDateTime.class, 54);
  }

  private static void registerContainers(Kryo kryo) {
    kryo.register(
        ArrayList.class, new KryoContainers.MutableCollectionSerializer(ArrayList::new), 20);
    kryo.register(HashSet.class, new KryoContainers.MutableCollectionSerializer(HashSet::new), 21);
    kryo.register(
        LinkedHashSet.class,
        new KryoContainers.MutableCollectionSerializer(LinkedHashSet::new),
        22);
    kryo.register(TreeSet.class, new KryoContainers.MutableCollectionSerializer(TreeSet::new), 23);
    kryo.register(
        ArrayDeque.class, new KryoContainers.MutableCollectionSerializer(ArrayDeque::new), 24);
    var fixedList =
        new KryoContainers.ImmutableCollectionSerializer(
            elements -> Arrays.stream(elements).toList());
    kryo.register(List.of().getClass(), fixedList, 25);
    kryo.register(List.of(0).getClass(), fixedList, 26);
    var fixedSet = new KryoContainers.ImmutableCollectionSerializer(Set::of);
    kryo.register(Set.of().getClass(), fixedSet, 27);
    kryo.register(Set.of(0).getClass(), fixedSet, 28);
    kryo.register(
        Arrays.asList(0).getClass(),
        new KryoContainers.ImmutableCollectionSerializer(Arrays::asList),
        29);
    kryo.register(HashMap.class, new KryoContainers.MutableMapSerializer(HashMap::new), 30);
    kryo.register(
        LinkedHashMap.class, new KryoContainers.MutableMapSerializer(LinkedHashMap::new), 31);
    kryo.register(TreeMap.class, new KryoContainers.MutableMapSerializer(TreeMap::new), 32);
    kryo.register(Map.of().getClass(), new KryoContainers.ImmutableMapSerializer(), 33);
    kryo.register(Map.of(0, 0).getClass(), new KryoContainers.ImmutableMapSerializer(), 34);
  }

  /** Supports registered classes only and loads no class by name. */
  private static final class RegisteredOnly extends Kryo {
    RegisteredOnly(boolean references) {
      super(new NoNames(), references ? new NoHoles() : null);
      setReferences(references);
      setRegistrationRequired(true);
    }

    @Override
    @SuppressWarnings("rawtypes") // like the overridden method
    public Registration getRegistration(Class type) {
      try {
        return super.getRegistration(type);
      } catch (IllegalArgumentException e) {
        throw new ValueRefusedException(
            "%s is not registered: add .register(%s.class, <a number from %d on>) to the codec"
                .formatted(type.getName(), type.getSimpleName(), FIRST_ID),
            e);
      }
    }
  }

  /** Rejects class names: Kryo would load the class before checking its registration. */
  private static final class NoNames extends DefaultClassResolver {
    @Override
    protected Registration readName(Input input) {
      throw new FormatException("value: a class by its name");
    }
  }

  /** Rejects references to incomplete objects, which Kryo would read as null. */
  private static final class NoHoles extends MapReferenceResolver {
    @Override
    @SuppressWarnings("rawtypes") // like the overridden method
    public Object getReadObject(Class type, int id) {
      Object object = super.getReadObject(type, id);
      if (object == null) {
        throw new FormatException(
            "value: refers to itself through a record or an immutable collection");
      }
      return object;
    }
  }
}
