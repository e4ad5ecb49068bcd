package io.github.stablecut.crdt.codec;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.KryoBufferOverflowException;
import com.esotericsoftware.kryo.io.Output;
import com.esotericsoftware.kryo.util.Pool;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Values of users' classes, by Kryo. Every class that occurs in a value is registered under a
 * number that stands for it in bytes, for ever:
 *
 * <pre>{@code
 * Codec<Order> orders =
 *     KryoCodec.of(Order.class, 100).register(Item.class, 101).build();
 * }</pre>
 *
 * <p>Records, enums, arrays and classes with a constructor without parameters can be registered. Of
 * the JDK, texts, boxed numbers, the usual collections and maps, {@code UUID}, {@code BigInteger},
 * {@code BigDecimal}, {@code Optional} and the classes of {@code java.time} are known already
 * ({@link KryoTypes}). The components of a record, the fields of a class and the order of an enum's
 * constants are the format: give a changed class a new number, and keep the old one.
 *
 * <p>Elements of sets and keys of maps are compared by their bytes. Safe for that are records and
 * classes made of scalars, texts, enums, arrays, lists and others of their kind. A {@code HashMap}
 * or {@code HashSet} inside a value is not: it writes its entries in an order that depends on its
 * history, so equal values may have different bytes. Use {@code TreeMap} and {@code TreeSet}.
 *
 * <p>Decoding loads no class by name and allocates no more than a small multiple of the input's
 * size; it answers whatever is wrong with a {@link FormatException}. Thread-safe.
 */
public final class KryoCodec<T> implements Codec<T> {
  private static final int VERSION = 1;
  private static final int FIRST_BYTES = 128;
  private static final int MAX_POOLED = 16;

  private final Class<T> type;
  private final int maxBytes;
  private final boolean references;
  private final Pool<Kryo> pool;

  private KryoCodec(Builder<T> builder) {
    this.type = builder.type;
    this.maxBytes = builder.maxBytes;
    SortedMap<Integer, Class<?>> classes = new TreeMap<>(builder.classes);
    this.references = builder.references;
    this.pool =
        new Pool<>(true, false, MAX_POOLED) {
          @Override
          protected Kryo create() {
            return KryoTypes.newKryo(classes, references);
          }
        };
    pool.free(pool.obtain()); // tells now what is wrong with the classes
  }

  /**
   * A codec for the values of a class.
   *
   * @param id stands for the class in bytes, from {@value KryoTypes#FIRST_ID} on
   */
  public static <T> Builder<T> of(Class<T> type, int id) {
    return new Builder<>(type).register(type, id);
  }

  /** A codec for the values of a sealed interface or an abstract class. */
  public static <T> Builder<T> ofAny(Class<T> type) {
    return new Builder<>(type);
  }

  /** The classes and limits of a codec. Confined to one thread. */
  public static final class Builder<T> {
    private final Class<T> type;
    private final SortedMap<Integer, Class<?>> classes = new TreeMap<>();
    private boolean references;
    private int maxBytes = Limits.MAX_BYTES;

    private Builder(Class<T> type) {
      this.type = type;
    }

    /**
     * Lets a class occur in values.
     *
     * @param id stands for the class in bytes, from {@value KryoTypes#FIRST_ID} on
     */
    @CanIgnoreReturnValue
    public Builder<T> register(Class<?> occurring, int id) {
      KryoTypes.check(occurring, id);
      Class<?> before = classes.putIfAbsent(id, occurring);
      if (before != null && before != occurring) {
        throw new ValueRefusedException(
            "number " + id + " stands for " + before.getName() + " already");
      }
      return this;
    }

    /** Keeps apart what is equal, and lets values refer to themselves: bytes get larger. */
    @CanIgnoreReturnValue
    public Builder<T> references() {
      references = true;
      return this;
    }

    /** Refuses values with more bytes. */
    @CanIgnoreReturnValue
    public Builder<T> maxBytes(int bytes) {
      if (bytes < 1 || bytes > Limits.MAX_BYTES) {
        throw new ValueRefusedException(
            "a value has 1 to " + Limits.MAX_BYTES + " bytes, not " + bytes);
      }
      maxBytes = bytes;
      return this;
    }

    /** The codec. */
    public KryoCodec<T> build() {
      return new KryoCodec<>(this);
    }
  }

  @Override
  public Bytes encode(T value) {
    Objects.requireNonNull(value, "value");
    Output out = new Output(Math.min(FIRST_BYTES, maxBytes), maxBytes);
    Kryo kryo = pool.obtain();
    try {
      out.writeByte(VERSION);
      kryo.writeClassAndObject(out, value);
    } catch (KryoBufferOverflowException e) {
      throw new ValueRefusedException(
          nameOf(value) + " is larger than " + maxBytes + " bytes: split it", e);
    } catch (ValueRefusedException e) {
      throw e;
    } catch (RuntimeException e) {
      throw refusal(value, e);
    }
    pool.free(kryo);
    Bytes bytes = Bytes.wrap(out.toBytes());
    if (references) {
      checkIsComplete(value, bytes);
    }
    return bytes;
  }

  private void checkIsComplete(T value, Bytes bytes) {
    try {
      T unused = decode(bytes);
    } catch (FormatException e) {
      throw refusal(value, e);
    }
  }

  private static ValueRefusedException refusal(Object value, RuntimeException thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof ValueRefusedException refused) {
        return refused;
      }
      if (cause instanceof KryoBufferOverflowException) {
        return new ValueRefusedException(nameOf(value) + " is too large: split it", cause);
      }
    }
    return new ValueRefusedException(
        nameOf(value) + " can't be encoded: " + thrown.getMessage(), thrown);
  }

  private static String nameOf(Object value) {
    return value.getClass().getName();
  }

  @Override
  public T decode(Bytes bytes) {
    CheckedInput in = new CheckedInput(bytes.toArray());
    Kryo kryo = pool.obtain();
    Object value;
    try {
      int version = in.readByteUnsigned();
      if (version != VERSION) {
        throw new FormatException(
            "value: encoding version is " + version + ", this program reads " + VERSION);
      }
      value = kryo.readClassAndObject(in);
    } catch (RuntimeException e) {
      throw formatException(bytes, e);
    }
    pool.free(kryo);
    if (in.left() > 0) {
      throw new FormatException("value: " + in.left() + " bytes too many");
    }
    if (!type.isInstance(value)) {
      throw new FormatException("value: not a " + type.getName());
    }
    return type.cast(value);
  }

  private FormatException formatException(Bytes bytes, RuntimeException thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof FormatException format) {
        return format;
      }
    }
    return new FormatException(
        "value: not the bytes of a " + type.getName() + ": " + bytes, thrown);
  }
}
