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
 * Values as JSON in UTF-8, by Jackson, which a program that uses this adds to its class path:
 * {@code com.fasterxml.jackson.core:jackson-databind}.
 *
 * <pre>{@code
 * Codec<Order> orders = JsonCodec.of(Order.class);
 * }</pre>
 *
 * <p>Properties are ordered by name, and entries of maps by key, so that equal values have equal
 * bytes; a {@code HashSet}, a {@code SortedMap} with a comparator, and a class that Jackson writes
 * in another order each time, do not: take a {@code TreeSet}, and maps in natural order. Keys that
 * are constants of an enum go in the order of the enum, which then stays as it is. Properties that
 * are null are not written, and those that nobody knows are not read, so properties may come and
 * go. One that is not there is null, or 0 or false: a record's constructor may make another default
 * of it.
 *
 * <p>Jackson's limits on the lengths of what it reads do not count, also those of a user's mapper:
 * a value has at most {@link Limits#MAX_BYTES}, and what is written can be read.
 *
 * <p>No class is ever loaded by a name in the bytes, unless the user's own mapper is set up for
 * that. Immutable and thread-safe.
 *
 * @param <T> the values; not null
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
    readWhatIsWritten(ordered.getFactory());
    this.name = type.toCanonical();
    this.reader = ordered.readerFor(type);
    this.writer = ordered.writerFor(type);
  }

  private static void readWhatIsWritten(JsonFactory copied) {
    var unused =
        copied.setStreamReadConstraints(
            StreamReadConstraints.builder()
                .maxStringLength(Limits.MAX_BYTES)
                .maxNumberLength(Limits.MAX_BYTES)
                .maxNameLength(Limits.MAX_BYTES)
                .maxNestingDepth(copied.streamWriteConstraints().getMaxNestingDepth())
                .build());
  }

  /** A codec for the values of a class. */
  public static <T> JsonCodec<T> of(Class<T> type) {
    return of(type, PLAIN);
  }

  /**
   * A codec for the values of a class, as a mapper of the user's writes them: with its modules,
   * names and formats. It is copied, and its later settings do not count. How it writes values is
   * the format on disk, so it stays as it is.
   */
  public static <T> JsonCodec<T> of(Class<T> type, JsonMapper mapper) {
    return new JsonCodec<>(mapper, mapper.constructType(type));
  }

  /** A codec for the values of a generic class, such as {@code List<Order>}. */
  public static <T> JsonCodec<T> of(TypeReference<T> type) {
    return of(type, PLAIN);
  }

  /** A codec for the values of a generic class, as a mapper of the user's writes them. */
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
          "%s has %d bytes, and a value at most %d: split it"
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
      // Jackson's parser of bytes refuses escapes of characters beyond U+FFFF in names, which its
      // generator writes; its parser of characters does not.
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
