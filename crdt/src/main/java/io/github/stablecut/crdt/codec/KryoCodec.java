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
 * Encodes values of users' classes with Kryo. Every class that occurs in a value must be registered
 * with a number that never changes:
 *
 * <pre>{@code
 * Codec<Order> orders =
 *     KryoCodec.of(Order.class, 100).register(Item.class, 101).build();
 * }</pre>
 *
 * <p>Records, enums, arrays and classes with a constructor without parameters can be registered. Of
 * the JDK, strings, boxed numbers, the usual collections and maps, {@code UUID}, {@code
 * BigInteger}, {@code BigDecimal}, {@code Optional} and the classes of {@code java.time} are
 * predefined ({@link KryoTypes}). The components of a record, the fields of a class and the order
 * of an enum's constants define the format: give a changed class a new number, and keep the old
 * class.
 *
 * <p>Elements of sets and keys of maps are compared by their bytes. Records and classes with
 * scalars, strings, enums, arrays, lists and nested values of the same kinds are safe. A {@code
 * HashMap} or {@code HashSet} inside a value is not: the order of its entries depends on its
 * history, so equal values may have different bytes. Use {@code TreeMap} and {@code TreeSet}.
 *
 * <p>Decoding loads no class by name and allocates at most a small multiple of the input's size. It
 * rejects invalid input with a {@link FormatException}. Thread-safe.
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
    pool.free(pool.obtain()); // reports invalid classes now
  }

  /**
   * A codec for the values of a class.
   *
   * @param id the number of the class, at least {@value KryoTypes#FIRST_ID}
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
     * Registers a class that occurs in values.
     *
     * @param id the number of the class, at least {@value KryoTypes#FIRST_ID}
     */
    @CanIgnoreReturnValue
    public Builder<T> register(Class<?> occurring, int id) {
      KryoTypes.check(occurring, id);
      Class<?> before = classes.putIfAbsent(id, occurring);
      if (before != null && before != occurring) {
        throw new ValueRefusedException("number " + id + " already stands for " + before.getName());
      }
      return this;
    }

    /** Preserves object identity and permits cyclic references, at the cost of larger bytes. */
    @CanIgnoreReturnValue
    public Builder<T> references() {
      references = true;
      return this;
    }

    /** Sets the maximum size of a value in bytes. */
    @CanIgnoreReturnValue
    public Builder<T> maxBytes(int bytes) {
      if (bytes < 1 || bytes > Limits.MAX_BYTES) {
        throw new ValueRefusedException(
            "the maximum size of a value must be 1 to "
                + Limits.MAX_BYTES
                + " bytes, not "
                + bytes);
      }
      maxBytes = bytes;
      return this;
    }

    /** Builds the codec. */
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
      Objects.requireNonNull(decode(bytes));
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
            "value: encoding version is " + version + ", this version reads " + VERSION);
      }
      value = kryo.readClassAndObject(in);
    } catch (RuntimeException e) {
      throw formatException(bytes, e);
    }
    pool.free(kryo);
    if (in.remaining() > 0) {
      throw new FormatException("value: " + in.remaining() + " bytes too many");
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
