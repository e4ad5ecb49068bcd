package io.github.stablecut.crdt.codec;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Encodes values of a record class whose components may be added and removed: the bytes contain
 * their names.
 *
 * <pre>{@code
 * record Item(String article, long count) {}
 * record Order(String customer, List<Item> items, boolean express) {}
 *
 * Codec<Order> orders =
 *     RecordCodec.of(Order.class)
 *         .with("items", Codec.list(RecordCodec.of(Item.class).build()))
 *         .withDefault("express", false) // added later: the value in older bytes
 *         .build();
 * }</pre>
 *
 * <p>Components that are numbers ({@code int}, {@code long}, {@code double}), booleans, strings,
 * enums, {@link UUID}, {@link Instant} or {@link Bytes} need no codec; enums are written as the
 * names of their constants. The following changes between versions of a program are permitted, with
 * these effects on the values of the other version:
 *
 * <ul>
 *   <li>a component is added, {@linkplain Builder#withDefault with a default}: the new program
 *       reads values without it as if they had the default; the old one ignores it, and drops it
 *       from values that it writes back
 *   <li>a component is removed: the new program ignores it; the old one reads the value set for
 *       {@linkplain Builder#ifMissing a missing component}, and throws without one
 *   <li>a component is renamed in Java: {@link Builder#storedAs} keeps the name in the bytes
 *   <li>components are reordered: the bytes don't change
 * </ul>
 *
 * <p>A component equal to its default is not written. So a value keeps its bytes when a component
 * is added, and stays the same element of a set or key of a map. A default and a name must never
 * change or be reused for something else. Don't add a default to a component that was written
 * without one: it would change the bytes of values equal to it, and a set would no longer find
 * them. {@link Builder#ifMissing} changes no bytes. A different codec for a component is a
 * different format: use a new name and a default, and keep the old component.
 *
 * <p>Don't remove components from elements of sets and keys of maps: the stored elements would
 * differ from the values that they are read as, and could not be removed.
 *
 * <p>The format: a byte 1; the number of components; for each, in ascending order of the names'
 * bytes, the name and the value, with their lengths. Immutable and thread-safe.
 *
 * @param <R> the record class
 */
public final class RecordCodec<R> implements Codec<R> {
  private static final int VERSION = 1;

  /** A component: its index in the record, its name, its codec, and its value if not written. */
  private record Component(
      int index, String name, Codec<Object> codec, @Nullable Default ifMissing) {
    /** Whether these bytes of the component are written. */
    boolean isWritten(Bytes bytes) {
      return ifMissing == null || ifMissing.isWritten || !ifMissing.bytes.equals(bytes);
    }
  }

  /**
   * The value of a component in bytes without it.
   *
   * @param isWritten whether a component equal to it is written
   */
  private record Default(Object value, Bytes bytes, boolean isWritten) {}

  private final RecordAccess<R> records;
  private final SortedMap<Bytes, Component> byStoredName = new TreeMap<>();

  private RecordCodec(Builder<R> builder) {
    this.records = builder.records;
    int index = 0;
    for (RecordComponent declared : records.components().values()) {
      String name = declared.getName();
      Codec<Object> codec = builder.codec(declared);
      Component component = new Component(index++, name, codec, ifMissing(builder, name, codec));
      String stored = builder.stored.getOrDefault(name, name);
      Component other = byStoredName.putIfAbsent(Bytes.utf8(stored), component);
      if (other != null) {
        throw new ValueRefusedException(
            "components %s and %s of %s are both stored as %s"
                .formatted(other.name, name, records.type().getName(), stored));
      }
    }
  }

  private @Nullable Default ifMissing(Builder<R> builder, String name, Codec<Object> codec) {
    Object unwritten = builder.defaults.get(name);
    Object written = builder.missing.get(name);
    if (unwritten != null && written != null) {
      throw new ValueRefusedException(
          "component %s of %s has .withDefault and .ifMissing: use .withDefault if the component always had the default, else .ifMissing"
              .formatted(name, records.type().getName()));
    }
    if (unwritten != null) {
      return checked(codec, name, unwritten, false);
    }
    return written == null ? null : checked(codec, name, written, true);
  }

  private Default checked(Codec<Object> codec, String name, Object value, boolean isWritten) {
    try {
      Bytes bytes = codec.encode(value);
      return new Default(codec.decode(bytes), bytes, isWritten);
    } catch (ClassCastException e) {
      throw new ValueRefusedException(
          "default %s (%s) does not fit component %s of %s"
              .formatted(value, value.getClass().getName(), name, records.type().getName()),
          e);
    }
  }

  /**
   * Creates a codec for the values of a record class.
   *
   * @throws ValueRefusedException if the class is not a record, or its package is not open
   */
  public static <R> Builder<R> of(Class<R> type) {
    return new Builder<>(new RecordAccess<>(type));
  }

  /** Configures the components of a codec. Confined to one thread. */
  public static final class Builder<R> {
    private final RecordAccess<R> records;
    private final Map<String, Codec<?>> codecs = new HashMap<>();
    private final Map<String, Object> defaults = new HashMap<>();
    private final Map<String, Object> missing = new HashMap<>();
    private final Map<String, String> stored = new LinkedHashMap<>();

    private Builder(RecordAccess<R> records) {
      this.records = records;
    }

    /**
     * Sets the codec of a component.
     *
     * @throws ValueRefusedException if there is no such component
     */
    @CanIgnoreReturnValue
    public Builder<R> with(String component, Codec<?> codec) {
      codecs.put(requireComponent(component), Objects.requireNonNull(codec, "codec"));
      return this;
    }

    /**
     * Sets the default of a component that is new in the record: its value in bytes without it. A
     * component equal to its default is not written. Not for components that were written before,
     * even if they will be removed: see {@link #ifMissing}.
     *
     * @throws ValueRefusedException if there is no such component
     */
    @CanIgnoreReturnValue
    public Builder<R> withDefault(String component, Object value) {
      defaults.put(requireComponent(component), Objects.requireNonNull(value, "value"));
      return this;
    }

    /**
     * Sets the value of a component in bytes without it. The component is always written. For
     * components that were written without a default and that newer programs have removed. Values
     * keep their bytes.
     *
     * @throws ValueRefusedException if there is no such component
     */
    @CanIgnoreReturnValue
    public Builder<R> ifMissing(String component, Object value) {
      missing.put(requireComponent(component), Objects.requireNonNull(value, "value"));
      return this;
    }

    /**
     * Sets the name of a component in the bytes, if it differs from its own.
     *
     * @throws ValueRefusedException if there is no such component
     */
    @CanIgnoreReturnValue
    public Builder<R> storedAs(String component, String name) {
      stored.put(requireComponent(component), Objects.requireNonNull(name, "name"));
      return this;
    }

    private String requireComponent(String component) {
      if (!records.components().containsKey(component)) {
        throw new ValueRefusedException(
            "%s has no component %s: it has %s"
                .formatted(
                    records.type().getName(),
                    component,
                    String.join(", ", records.components().keySet())));
      }
      return component;
    }

    /**
     * Builds the codec.
     *
     * @throws ValueRefusedException if a component has no codec and needs one, or a default of the
     *     wrong class, or both a default and a value for missing components; or if two components
     *     have the same stored name
     */
    public RecordCodec<R> build() {
      return new RecordCodec<>(this);
    }

    @SuppressWarnings("unchecked") // encoding a value detects a codec of another class
    private Codec<Object> codec(RecordComponent component) {
      Codec<?> explicit = codecs.get(component.getName());
      return (Codec<Object>)
          (explicit == null
              ? defaultCodec(component.getType()).orElseThrow(() -> withoutCodec(component))
              : explicit);
    }

    private ValueRefusedException withoutCodec(RecordComponent component) {
      return new ValueRefusedException(
          "component %s of %s is a %s, which needs a codec: add .with(\"%s\", <a codec>)"
              .formatted(
                  component.getName(),
                  records.type().getName(),
                  component.getGenericType().getTypeName(),
                  component.getName()));
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // the class is that of an enum
    private static Optional<Codec<?>> defaultCodec(Class<?> type) {
      return type.isEnum()
          ? Optional.of(Codec.constants((Class) type))
          : Optional.ofNullable(DEFAULT_CODECS.get(type));
    }
  }

  private static final Map<Class<?>, Codec<?>> DEFAULT_CODECS =
      Map.ofEntries(
          Map.entry(String.class, Codec.string()),
          Map.entry(int.class, Codec.int32()),
          Map.entry(Integer.class, Codec.int32()),
          Map.entry(long.class, Codec.int64()),
          Map.entry(Long.class, Codec.int64()),
          Map.entry(double.class, Codec.float64()),
          Map.entry(Double.class, Codec.float64()),
          Map.entry(boolean.class, Codec.bool()),
          Map.entry(Boolean.class, Codec.bool()),
          Map.entry(UUID.class, Codec.uuid()),
          Map.entry(Instant.class, Codec.instant()),
          Map.entry(Bytes.class, Codec.bytes()));

  @Override
  public Bytes encode(R value) {
    Objects.requireNonNull(value, "value");
    SortedMap<Bytes, Bytes> written = new TreeMap<>();
    byStoredName.forEach(
        (name, component) -> {
          Bytes bytes = encode(component, records.valueOf(value, component.name));
          if (component.isWritten(bytes)) {
            written.put(name, bytes);
          }
        });
    return CompoundCodecs.write(
        out -> {
          out.writeByte(VERSION);
          out.writeUnsigned(written.size());
          written.forEach(
              (name, bytes) -> {
                out.writeBytes(name);
                out.writeBytes(bytes);
              });
        });
  }

  private Bytes encode(Component component, Object value) {
    try {
      return component.codec.encode(value);
    } catch (ClassCastException e) {
      throw new ValueRefusedException(
          "component %s of %s is a %s, which its codec does not accept"
              .formatted(component.name, records.type().getName(), value.getClass().getName()),
          e);
    }
  }

  @Override
  public R decode(Bytes bytes) {
    return CompoundCodecs.read(bytes, this::read);
  }

  private R read(KryoDecoder in) {
    int version = in.readByte();
    if (version != VERSION) {
      throw new FormatException(
          "record: encoding version is " + version + ", this version reads " + VERSION);
    }
    @Nullable Object[] values = new @Nullable Object[byStoredName.size()];
    @Nullable Bytes before = null;
    for (int remaining = in.readCount(2); remaining > 0; remaining--) {
      Bytes name = in.readBytes();
      Bytes value = in.readBytes();
      if (before != null && before.compareTo(name) >= 0) {
        throw new FormatException(
            "record: components are not in ascending order: " + before + ", " + name);
      }
      before = name;
      Component component = byStoredName.get(name);
      if (component != null) {
        values[component.index] = decode(component, value);
      }
    }
    return records.make(complete(values));
  }

  private Object decode(Component component, Bytes bytes) {
    try {
      return component.codec.decode(bytes);
    } catch (FormatException e) {
      throw new FormatException(
          "component %s of %s: %s"
              .formatted(component.name, records.type().getName(), e.getMessage()),
          e);
    }
  }

  /** Adds the values of missing components. */
  private Object[] complete(@Nullable Object[] values) {
    Object[] all = new Object[values.length];
    for (Component component : byStoredName.values()) {
      Object value = values[component.index];
      if (value == null) {
        if (component.ifMissing == null) {
          throw new FormatException(
              "these bytes of a %s have no component %s: add .ifMissing(\"%s\", <a value>) to the codec, or .withDefault if no value has been written with it yet"
                  .formatted(records.type().getName(), component.name, component.name));
        }
        value = component.ifMissing.value;
      }
      all[component.index] = value;
    }
    return all;
  }
}
