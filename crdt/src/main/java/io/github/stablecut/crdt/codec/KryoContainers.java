package io.github.stablecut.crdt.codec;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.lang.reflect.Array;
import java.util.Collection;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Serializers for collections, maps and arrays: the number of elements, then each element with the
 * number of its class. An element takes at least a byte, so a number of elements beyond the rest of
 * the input is rejected before anything is allocated.
 */
final class KryoContainers {
  private KryoContainers() {}

  private static @Nullable Object[] readElements(Kryo kryo, Input in, int perElement) {
    @Nullable Object[] elements =
        new Object[((CheckedInput) in).readCount(perElement) * perElement];
    for (int i = 0; i < elements.length; i++) {
      elements[i] = kryo.readClassAndObject(in);
    }
    return elements;
  }

  private static void refuseComparator(@Nullable Object comparator, Object container) {
    if (comparator != null) {
      throw new ValueRefusedException(
          container.getClass().getName()
              + " has a comparator, which can't be encoded: use one in natural order");
    }
  }

  /** Serializes mutable collections, which are filled after their creation. */
  static final class MutableCollectionSerializer extends Serializer<Collection<@Nullable Object>> {
    private final Supplier<Collection<@Nullable Object>> create;

    MutableCollectionSerializer(Supplier<Collection<@Nullable Object>> create) {
      this.create = create;
    }

    @Override
    public void write(Kryo kryo, Output out, Collection<@Nullable Object> collection) {
      refuseComparator(
          collection instanceof SortedSet<?> set ? set.comparator() : null, collection);
      out.writeVarInt(collection.size(), true);
      for (Object element : collection) {
        kryo.writeClassAndObject(out, element);
      }
    }

    @Override
    public Collection<@Nullable Object> read(
        Kryo kryo, Input in, Class<? extends Collection<@Nullable Object>> type) {
      int count = ((CheckedInput) in).readCount(1);
      Collection<@Nullable Object> collection = create.get();
      kryo.reference(collection);
      for (int i = 0; i < count; i++) {
        collection.add(kryo.readClassAndObject(in));
      }
      return collection;
    }
  }

  /** Serializes immutable collections, which are created with their elements. */
  static final class ImmutableCollectionSerializer
      extends Serializer<Collection<@Nullable Object>> {
    private final Function<@Nullable Object[], Collection<@Nullable Object>> create;

    ImmutableCollectionSerializer(
        Function<@Nullable Object[], Collection<@Nullable Object>> create) {
      super(false, true);
      this.create = create;
    }

    @Override
    public void write(Kryo kryo, Output out, Collection<@Nullable Object> collection) {
      out.writeVarInt(collection.size(), true);
      for (Object element : collection) {
        kryo.writeClassAndObject(out, element);
      }
    }

    @Override
    public Collection<@Nullable Object> read(
        Kryo kryo, Input in, Class<? extends Collection<@Nullable Object>> type) {
      return create.apply(readElements(kryo, in, 1));
    }
  }

  /** Serializes mutable maps, which are filled after their creation. */
  static final class MutableMapSerializer
      extends Serializer<Map<@Nullable Object, @Nullable Object>> {
    private final Supplier<Map<@Nullable Object, @Nullable Object>> create;

    MutableMapSerializer(Supplier<Map<@Nullable Object, @Nullable Object>> create) {
      this.create = create;
    }

    @Override
    public void write(Kryo kryo, Output out, Map<@Nullable Object, @Nullable Object> map) {
      refuseComparator(map instanceof SortedMap<?, ?> sorted ? sorted.comparator() : null, map);
      writeEntries(kryo, out, map);
    }

    @Override
    public Map<@Nullable Object, @Nullable Object> read(
        Kryo kryo, Input in, Class<? extends Map<@Nullable Object, @Nullable Object>> type) {
      int count = ((CheckedInput) in).readCount(2);
      Map<@Nullable Object, @Nullable Object> map = create.get();
      kryo.reference(map);
      for (int i = 0; i < count; i++) {
        map.put(kryo.readClassAndObject(in), kryo.readClassAndObject(in));
      }
      return map;
    }
  }

  private static void writeEntries(Kryo kryo, Output out, Map<?, ?> map) {
    out.writeVarInt(map.size(), true);
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      kryo.writeClassAndObject(out, entry.getKey());
      kryo.writeClassAndObject(out, entry.getValue());
    }
  }

  /** Serializes immutable maps, which are created with their entries. */
  static final class ImmutableMapSerializer extends Serializer<Map<Object, Object>> {
    ImmutableMapSerializer() {
      super(false, true);
    }

    @Override
    public void write(Kryo kryo, Output out, Map<Object, Object> map) {
      writeEntries(kryo, out, map);
    }

    @Override
    @SuppressWarnings({"unchecked", "rawtypes"}) // entries of any kind
    public Map<Object, Object> read(
        Kryo kryo, Input in, Class<? extends Map<Object, Object>> type) {
      @Nullable Object[] flat = readElements(kryo, in, 2);
      Map.Entry[] entries = new Map.Entry[flat.length / 2];
      for (int i = 0; i < entries.length; i++) {
        entries[i] = Map.entry(flat[2 * i], flat[2 * i + 1]);
      }
      return Map.ofEntries(entries);
    }
  }

  /** Serializes arrays of objects. */
  static final class ArraySerializer extends Serializer<@Nullable Object[]> {
    private final Class<?> component;

    ArraySerializer(Class<?> component) {
      this.component = component;
    }

    @Override
    public void write(Kryo kryo, Output out, @Nullable Object[] array) {
      out.writeVarInt(array.length, true);
      for (Object element : array) {
        kryo.writeClassAndObject(out, element);
      }
    }

    @Override
    public @Nullable Object[] read(Kryo kryo, Input in, Class<? extends @Nullable Object[]> type) {
      int count = ((CheckedInput) in).readCount(1);
      Object[] array = (Object[]) Array.newInstance(component, count);
      kryo.reference(array);
      for (int i = 0; i < count; i++) {
        array[i] = kryo.readClassAndObject(in);
      }
      return array;
    }
  }
}
