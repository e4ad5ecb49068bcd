package io.github.stablecut.crdt.codec;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Output;
import com.esotericsoftware.kryo.util.Pool;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Values of users' classes, by Kryo. Every class that can occur is registered under a number of its
 * own, which is what is written: names of classes are neither written nor read, so that input can't
 * choose what is loaded.
 *
 * <pre>{@code
 * Codec<Address> addresses =
 *     KryoCodec.of(Address.class).register(Address.class, 10).register(Country.class, 11).build();
 * }</pre>
 *
 * <p>The numbers belong to the data: never change one, never use one again. Fields are written in
 * the order of their names; a class that will change needs a serializer of its own ({@link
 * Builder#register(Class, Serializer, int)}) that begins with a version. Values that are elements
 * of sets must give equal bytes when they are equal: records and classes of scalars, texts and
 * lists do; hash maps and hash sets do not.
 *
 * <p>References between objects of one value are not kept: it is a tree. Thread-safe; Kryo's
 * objects, which are not, are pooled.
 *
 * @param <T> the values
 */
public final class KryoCodec<T> implements Codec<T> {
  /** Numbers below are Kryo's own: primitives and texts. */
  public static final int FIRST_ID = 10;

  /** An encoded value has at most this many bytes: 16 MiB. */
  public static final int MAX_VALUE_BYTES = 16 << 20;

  private static final int FIRST_BYTES = 128;

  /** Objects nest at most this deep. */
  private static final int MAX_DEPTH = 100;

  private record Registration(Class<?> type, int id, List<Serializer<?>> serializer) {}

  private final Class<T> type;
  private final Pool<Kryo> pool;

  private KryoCodec(Class<T> type, List<Registration> registrations) {
    this.type = type;
    this.pool =
        new Pool<>(true, false, Runtime.getRuntime().availableProcessors() * 2) {
          @Override
          protected Kryo create() {
            return newKryo(registrations);
          }
        };
  }

  /** Begins a codec of values of a class. */
  public static <T> Builder<T> of(Class<T> type) {
    return new Builder<>(type);
  }

  /** Collects registrations. Confined to one thread. */
  public static final class Builder<T> {
    private final Class<T> type;
    private final List<Registration> registrations = new ArrayList<>();
    private final Set<Integer> ids = new HashSet<>();

    private Builder(Class<T> type) {
      this.type = type;
    }

    /**
     * Registers a class that can occur.
     *
     * @param id at least {@value #FIRST_ID}, a number for ever
     */
    public Builder<T> register(Class<?> registered, int id) {
      return add(new Registration(registered, id, List.of()));
    }

    /**
     * As {@link #register(Class, int)}, with a serializer of the user's, which must be thread-safe.
     */
    public <U> Builder<T> register(Class<U> registered, Serializer<? super U> serializer, int id) {
      return add(new Registration(registered, id, List.of(serializer)));
    }

    private Builder<T> add(Registration registration) {
      if (registration.id < FIRST_ID || !ids.add(registration.id)) {
        throw new IllegalArgumentException(
            "id %d of %s is taken or below %d: choose another"
                .formatted(registration.id, registration.type.getName(), FIRST_ID));
      }
      registrations.add(registration);
      return this;
    }

    /** The codec. */
    public KryoCodec<T> build() {
      return new KryoCodec<>(type, List.copyOf(registrations));
    }
  }

  private static Kryo newKryo(List<Registration> registrations) {
    Kryo kryo = new Kryo();
    kryo.setRegistrationRequired(true);
    kryo.setReferences(false);
    kryo.setMaxDepth(MAX_DEPTH);
    BoundedSerializers.install(kryo);
    for (Registration registration : registrations) {
      if (registration.serializer.isEmpty()) {
        var unused = kryo.register(registration.type, registration.id);
      } else {
        var unused =
            kryo.register(registration.type, registration.serializer.get(0), registration.id);
      }
    }
    return kryo;
  }

  /**
   * The bytes of a value.
   *
   * @throws UnencodableValueException if it is too large or too deep, or if it holds an object of a
   *     class that is not registered; the message names the class
   */
  @Override
  public Bytes encode(T value) {
    Kryo kryo = pool.obtain();
    try {
      Output out = new Output(FIRST_BYTES, MAX_VALUE_BYTES);
      kryo.writeClassAndObject(out, type.cast(value));
      return Bytes.wrap(out.toBytes());
    } catch (KryoException | IllegalArgumentException e) {
      throw new UnencodableValueException(
          "a %s can't be encoded: %s: register each class that occurs in it with register(class, id), and keep it below %,d bytes"
              .formatted(type.getName(), firstLine(e), MAX_VALUE_BYTES),
          e);
    } finally {
      kryo.reset();
      pool.free(kryo);
    }
  }

  @Override
  public T decode(Bytes bytes) {
    if (bytes.length() > MAX_VALUE_BYTES) {
      throw new FormatException(
          "%s of %,d bytes, at most %,d are read"
              .formatted(type.getName(), bytes.length(), MAX_VALUE_BYTES));
    }
    Kryo kryo = pool.obtain();
    try (BoundedInput in = new BoundedInput(bytes.toArray())) {
      Object value = kryo.readClassAndObject(in);
      if (!type.isInstance(value) || in.remaining() > 0) {
        throw new FormatException("the bytes are not those of one " + type.getName());
      }
      return type.cast(value);
    } catch (FormatException e) {
      throw e;
    } catch (RuntimeException e) {
      // Whatever a serializer meets in bytes that nobody has written: a class that can't be, an
      // index out of range.
      throw new FormatException(
          "the bytes are not those of a " + type.getName() + ": " + firstLine(e), e);
    } finally {
      kryo.reset();
      pool.free(kryo);
    }
  }

  private static String firstLine(Exception e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse(e.getClass().getSimpleName());
  }
}
