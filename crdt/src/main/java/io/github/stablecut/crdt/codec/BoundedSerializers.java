package io.github.stablecut.crdt.codec;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import com.esotericsoftware.kryo.serializers.CollectionSerializer;
import com.esotericsoftware.kryo.serializers.MapSerializer;
import java.lang.reflect.Array;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Serializers of containers that check a length before they allocate for it. */
final class BoundedSerializers {
  private BoundedSerializers() {}

  static void install(Kryo kryo) {
    for (Class<?> type : List.of(ArrayList.class, ArrayDeque.class, HashSet.class)) {
      kryo.addDefaultSerializer(type, new Collections());
    }
    kryo.addDefaultSerializer(HashMap.class, new Maps());
    kryo.addDefaultSerializer(Object[].class, new Arrays());
    for (Object list : List.of(List.of(), List.of(1), List.of(1, 2, 3))) {
      kryo.addDefaultSerializer(list.getClass(), new ImmutableLists());
    }
  }

  private static int checked(Input in, int count) {
    return ((BoundedInput) in).checkedCount(count, 1);
  }

  private static final class Collections extends CollectionSerializer<Collection<?>> {
    @Override
    protected Collection<?> create(
        Kryo kryo, Input in, Class<? extends Collection<?>> type, int size) {
      return super.create(kryo, in, type, checked(in, size));
    }
  }

  private static final class Maps extends MapSerializer<Map<?, ?>> {
    @Override
    protected Map<?, ?> create(Kryo kryo, Input in, Class<? extends Map<?, ?>> type, int size) {
      return super.create(kryo, in, type, checked(in, size));
    }
  }

  private static final class Arrays extends Serializer<Object[]> {
    @Override
    public void write(Kryo kryo, Output out, @Nullable Object[] array) {
      out.writeVarInt(array.length, true);
      for (Object element : array) {
        kryo.writeClassAndObject(out, element);
      }
    }

    @Override
    public @Nullable Object[] read(Kryo kryo, Input in, Class<? extends Object[]> type) {
      int length = checked(in, in.readVarInt(true));
      @Nullable Object[] array = (Object[]) Array.newInstance(type.getComponentType(), length);
      for (int i = 0; i < length; i++) {
        array[i] = kryo.readClassAndObject(in);
      }
      return array;
    }
  }

  private static final class ImmutableLists extends Serializer<List<?>> {
    ImmutableLists() {
      super(false, true);
    }

    @Override
    public void write(Kryo kryo, Output out, List<?> list) {
      out.writeVarInt(list.size(), true);
      for (Object element : list) {
        kryo.writeClassAndObject(out, element);
      }
    }

    @Override
    public List<?> read(Kryo kryo, Input in, Class<? extends List<?>> type) {
      int length = checked(in, in.readVarInt(true));
      List<Object> list = new ArrayList<>(length);
      for (int i = 0; i < length; i++) {
        list.add(kryo.readClassAndObject(in));
      }
      return List.copyOf(list);
    }
  }
}
