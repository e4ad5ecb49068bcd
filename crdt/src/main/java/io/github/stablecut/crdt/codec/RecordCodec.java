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
 * Values of a record class whose components may come and go: bytes name them.
 *
 * <pre>{@code
 * record Item(String article, long count) {}
 * record Order(String customer, List<Item> items, boolean express) {}
 *
 * Codec<Order> orders =
 *     RecordCodec.of(Order.class)
 *         .with("items", Codec.list(RecordCodec.of(Item.class).build()))
 *         .withDefault("express", false) // came later: what values written before have
 *         .build();
 * }</pre>
 *
 * <p>Components that are numbers ({@code int}, {@code long}, {@code double}), truth values, texts,
 * enums, {@link UUID}, {@link Instant} or {@link Bytes} need no codec; enums are written by the
 * names of their constants. What may change from one version of a program to the next, and what
 * each reads of the other's values:
 *
 * <ul>
 *   <li>a component is added, {@linkplain Builder#withDefault with a default}: the new program
 *       reads values without it as if they had the default; the old one does not see it, and a
 *       value that it writes back has lost it
 *   <li>a component is removed: the new program does not see it; the old one reads what it is
 *       {@linkplain Builder#ifMissing if it is missing}, and throws if nobody said so
 *   <li>a component gets another name in Java: {@link Builder#storedAs} keeps the one in bytes
 *   <li>components change their order: nothing changes in bytes
 * </ul>
 *
 * <p>A component that is equal to its default is not written. So a value keeps its bytes when a
 * component is added, and stays the same element of a set or key of a map; and a default stays what
 * it is for ever, like the name. Neither is used again for something else. A component that was
 * written without a default never gets one: it would change the bytes of values that are equal to
 * it, and a set would not find them any more. {@link Builder#ifMissing} changes no bytes. Another
 * codec for a component is another format: give it a new name and a default, and keep the old one.
 *
 * <p>Of elements of sets and keys of maps no component is removed: those written before would be
 * other elements than the values that they are read as, and could not be taken out.
 *
 * <p>The format: a byte 1; how many components there are; of each, by ascending bytes of their
 * names, the name and the value, with their lengths. Immutable and thread-safe.
 *
 * @param <R> the record class
 */
public final class RecordCodec<R> implements Codec<R> {
  private static final int VERSION = 1;

  /** A component: its place in the record, its codec, and what it is without being written. */
  private record Part(int place, String name, Codec<Object> codec, @Nullable Default ifMissing) {
    /** Whether these bytes of it are written. */
    boolean isWritten(Bytes bytes) {
      return ifMissing == null || ifMissing.isWritten || !ifMissing.bytes.equals(bytes);
    }
  }

  /**
   * What a component is in bytes that do not have it.
   *
   * @param isWritten whether a component that is equal to it is written all the same
   */
  private record Default(Object value, Bytes bytes, boolean isWritten) {}

  private final RecordAccess<R> records;
  private final SortedMap<Bytes, Part> parts = new TreeMap<>();

  private RecordCodec(Builder<R> builder) {
    this.records = builder.records;
    int place = 0;
    for (RecordComponent component : records.components().values()) {
      String name = component.getName();
      Codec<Object> codec = builder.codec(component);
      Part part = new Part(place++, name, codec, ifMissing(builder, name, codec));
      String stored = builder.stored.getOrDefault(name, name);
      Part other = parts.putIfAbsent(Bytes.utf8(stored), part);
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
          "component %s of %s has .withDefault and .ifMissing: take .withDefault if it had it from its beginning, else .ifMissing"
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
          "default %s (%s) is none for component %s of %s"
              .formatted(value, value.getClass().getName(), name, records.type().getName()),
          e);
    }
  }

  /**
   * A codec for the values of a record class.
   *
   * @throws ValueRefusedException if it is none, or in a module that is not open to this
   */
  public static <R> Builder<R> of(Class<R> type) {
    return new Builder<>(new RecordAccess<>(type));
  }

  /** The components of a codec. Confined to one thread. */
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
     * Says how the values of a component are written.
     *
     * @throws ValueRefusedException if there is no such component
     */
    @CanIgnoreReturnValue
    public Builder<R> with(String component, Codec<?> codec) {
      codecs.put(known(component), Objects.requireNonNull(codec, "codec"));
      return this;
    }

    /**
     * Says what a component that is new in the record is in bytes that do not have it. It is not
     * written where it is equal to that. Not for one that was written before, also not if it is to
     * be removed: see {@link #ifMissing}.
     *
     * @throws ValueRefusedException if there is no such component
     */
    @CanIgnoreReturnValue
    public Builder<R> withDefault(String component, Object value) {
      defaults.put(known(component), Objects.requireNonNull(value, "value"));
      return this;
    }

    /**
     * Says what a component is in bytes that do not have it, and writes it always: for one that was
     * written without a default, and that newer programs have removed. Values keep their bytes.
     *
     * @throws ValueRefusedException if there is no such component
     */
    @CanIgnoreReturnValue
    public Builder<R> ifMissing(String component, Object value) {
      missing.put(known(component), Objects.requireNonNull(value, "value"));
      return this;
    }

    /**
     * Says by which name a component is known in bytes, if not by its own.
     *
     * @throws ValueRefusedException if there is no such component
     */
    @CanIgnoreReturnValue
    public Builder<R> storedAs(String component, String name) {
      stored.put(known(component), Objects.requireNonNull(name, "name"));
      return this;
    }

    private String known(String component) {
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
     * The codec.
     *
     * @throws ValueRefusedException if a component needs a codec and has none, if a default is not
     *     of its class or one of two, or if two components have one name
     */
    public RecordCodec<R> build() {
      return new RecordCodec<>(this);
    }

    @SuppressWarnings("unchecked") // a codec of another class is found when it meets a value
    private Codec<Object> codec(RecordComponent component) {
      Codec<?> given = codecs.get(component.getName());
      return (Codec<Object>)
          (given == null
              ? knownCodec(component.getType()).orElseThrow(() -> withoutCodec(component))
              : given);
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

    @SuppressWarnings({"unchecked", "rawtypes"}) // of an enum's class
    private static Optional<Codec<?>> knownCodec(Class<?> type) {
      return type.isEnum()
          ? Optional.of(Codec.constants((Class) type))
          : Optional.ofNullable(KNOWN.get(type));
    }
  }

  private static final Map<Class<?>, Codec<?>> KNOWN =
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
    parts.forEach(
        (name, part) -> {
          Bytes bytes = encode(part, records.valueOf(value, part.name));
          if (part.isWritten(bytes)) {
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

  private Bytes encode(Part part, Object value) {
    try {
      return part.codec.encode(value);
    } catch (ClassCastException e) {
      throw new ValueRefusedException(
          "component %s of %s is a %s, which its codec does not take"
              .formatted(part.name, records.type().getName(), value.getClass().getName()),
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
          "record: encoding version is " + version + ", this program reads " + VERSION);
    }
    @Nullable Object[] values = new @Nullable Object[parts.size()];
    @Nullable Bytes before = null;
    for (int left = in.readCount(2); left > 0; left--) {
      Bytes name = in.readBytes();
      Bytes value = in.readBytes();
      if (before != null && before.compareTo(name) >= 0) {
        throw new FormatException("record: component " + name + " is behind " + before);
      }
      before = name;
      Part part = parts.get(name);
      if (part != null) {
        values[part.place] = decode(part, value);
      }
    }
    return records.make(complete(values));
  }

  private Object decode(Part part, Bytes bytes) {
    try {
      return part.codec.decode(bytes);
    } catch (FormatException e) {
      throw new FormatException(
          "component %s of %s: %s".formatted(part.name, records.type().getName(), e.getMessage()),
          e);
    }
  }

  /** With the defaults of what is missing. */
  private Object[] complete(@Nullable Object[] values) {
    Object[] all = new Object[values.length];
    for (Part part : parts.values()) {
      Object value = values[part.place];
      if (value == null) {
        if (part.ifMissing == null) {
          throw new FormatException(
              "these bytes of a %s have no component %s: add .ifMissing(\"%s\", <a value>) to the codec, or .withDefault if no value was written with it yet"
                  .formatted(records.type().getName(), part.name, part.name));
        }
        value = part.ifMissing.value;
      }
      all[part.place] = value;
    }
    return all;
  }
}
