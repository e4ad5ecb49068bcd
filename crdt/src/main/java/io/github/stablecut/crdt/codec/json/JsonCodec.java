package io.github.stablecut.crdt.codec.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.codec.Limits;
import io.github.stablecut.crdt.codec.ValueRefusedException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.CodingErrorAction;
import java.util.Objects;

/**
 * Encodes values as JSON in UTF-8 with Jackson. Programs that use it must add to their class path:
 * {@code com.fasterxml.jackson.core:jackson-databind}.
 *
 * <pre>{@code
 * Codec<Order> orders = JsonCodec.of(Order.class);
 * }</pre>
 *
 * <p>Properties are ordered by name and map entries by key, so that equal values have equal bytes.
 * Exceptions are a {@code HashSet}, a {@code SortedMap} with a comparator, and a class that Jackson
 * writes in varying order: use a {@code TreeSet}, and maps in natural order. Keys that are enum
 * constants are in the order of the enum, which must not change. Null properties are not written
 * and unknown ones are ignored, so properties can be added and removed. A missing property is null,
 * 0 or false; a record's constructor can replace it with another default.
 *
 * <p>Jackson's length limits for reading do not apply, not even those of a user's mapper. A value
 * has at most {@link Limits#MAX_BYTES}, and every written value can be read.
 *
 * <p>No class is ever loaded by a name in the bytes, unless the user's mapper is configured for
 * that. Immutable and thread-safe.
 *
 * @param <T> the type of the values, which are never null
 */
public final class JsonCodec<T> implements Codec<T> {
  private static final JsonMapper PLAIN =
      JsonMapper.builder()
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  private final String name;
  private final ObjectReader reader;
  private final ObjectWriter writer;

  private JsonCodec(JsonMapper mapper, JavaType type) {
    JsonMapper ordered =
        mapper
            .rebuild()
            .enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .disable(MapperFeature.SORT_CREATOR_PROPERTIES_FIRST)
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .disable(SerializationFeature.INDENT_OUTPUT)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    liftReadLimits(ordered.getFactory());
    this.name = type.toCanonical();
    this.reader = ordered.readerFor(type);
    this.writer = ordered.writerFor(type);
  }

  private static void liftReadLimits(JsonFactory copied) {
    copied.setStreamReadConstraints(
        StreamReadConstraints.builder()
            .maxStringLength(Limits.MAX_BYTES)
            .maxNumberLength(Limits.MAX_BYTES)
            .maxNameLength(Limits.MAX_BYTES)
            .maxNestingDepth(copied.streamWriteConstraints().getMaxNestingDepth())
            .build());
  }

  /** Creates a codec for the values of a class. */
  public static <T> JsonCodec<T> of(Class<T> type) {
    return of(type, PLAIN);
  }

  /**
   * Creates a codec with a user's mapper, including its modules, names and formats. The mapper is
   * copied, so later changes of its settings have no effect. It defines the format on disk, so its
   * output must not change.
   */
  public static <T> JsonCodec<T> of(Class<T> type, JsonMapper mapper) {
    return new JsonCodec<>(mapper, mapper.constructType(type));
  }

  /** Creates a codec for the values of a generic class, such as {@code List<Order>}. */
  public static <T> JsonCodec<T> of(TypeReference<T> type) {
    return of(type, PLAIN);
  }

  /** Creates a codec for the values of a generic class with a user's mapper. */
  public static <T> JsonCodec<T> of(TypeReference<T> type, JsonMapper mapper) {
    return new JsonCodec<>(mapper, mapper.constructType(type));
  }

  @Override
  public Bytes encode(T value) {
    Objects.requireNonNull(value, "value");
    byte[] bytes;
    try {
      bytes = writer.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new ValueRefusedException(
          "%s can't be written as JSON: %s".formatted(name, e.getMessage()), e);
    }
    if (bytes.length > Limits.MAX_BYTES) {
      throw new ValueRefusedException(
          "%s has %d bytes, but a value has at most %d: split it"
              .formatted(name, bytes.length, Limits.MAX_BYTES));
    }
    return Bytes.wrap(bytes);
  }

  private static Reader characters(Bytes bytes) {
    return new InputStreamReader(
        new ByteArrayInputStream(bytes.toArray()),
        UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT));
  }

  @Override
  public T decode(Bytes bytes) {
    T value;
    try {
      // Jackson's byte parser refuses escapes of characters beyond U+FFFF in names, which its
      // generator writes; its character parser accepts them.
      value = reader.readValue(characters(bytes));
    } catch (IOException e) {
      throw new FormatException("value: not the JSON of a " + name + ": " + e.getMessage(), e);
    }
    if (value == null) {
      throw new FormatException("value: null instead of a " + name);
    }
    return value;
  }
}
