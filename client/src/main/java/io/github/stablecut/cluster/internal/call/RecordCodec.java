package io.github.stablecut.cluster.internal.call;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Latencies;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Encodes and decodes public records by reflection: their components in the order of declaration.
 * Components are numbers, flags, durations, latencies, texts, tokens, lists and other such records.
 * The status test of each kind of store detects components of other types.
 */
final class RecordCodec {
  private RecordCodec() {}

  static void write(Record record, Encoder out) {
    for (RecordComponent component : record.getClass().getRecordComponents()) {
      try {
        writeValue(component.getAccessor().invoke(record), out);
      } catch (ReflectiveOperationException e) {
        throw new LinkageError("a public record has public accessors: " + component, e);
      }
    }
  }

  private static void writeValue(Object value, Encoder out) {
    if (value instanceof Number number) {
      out.writeSigned(number.longValue());
    } else if (value instanceof Boolean flag) {
      out.writeFlag(flag);
    } else if (value instanceof Duration duration) {
      out.writeSigned(duration.toNanos());
    } else if (value instanceof Latencies latencies) {
      latencies.counts().forEach(out::writeUnsigned);
    } else if (value instanceof String text) {
      out.writeBytes(Bytes.utf8(text));
    } else if (value instanceof CausalToken token) {
      CallParts.write(token, out);
    } else if (value instanceof List<?> list) {
      out.writeUnsigned(list.size());
      list.forEach(element -> writeValue(element, out));
    } else {
      write((Record) value, out);
    }
  }

  static <R> R read(Class<R> type, Decoder in) {
    RecordComponent[] components = type.getRecordComponents();
    Object[] values = new Object[components.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = readValue(components[i].getGenericType(), in);
    }
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    try {
      Constructor<R> constructor = type.getConstructor(types);
      return constructor.newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new FormatException("not a " + type.getSimpleName(), e);
    }
  }

  private static Object readValue(Type type, Decoder in) {
    if (type == long.class || type == Long.class) {
      return in.readSigned();
    } else if (type == int.class) {
      return (int) in.readSigned();
    } else if (type == boolean.class) {
      return in.readFlag();
    } else if (type == Duration.class) {
      return Duration.ofNanos(in.readSigned());
    } else if (type == Latencies.class) {
      return Latencies.of(LongStream.generate(in::readUnsigned).limit(Latencies.BUCKETS).toArray());
    } else if (type == String.class) {
      return in.readBytes().toUtf8();
    } else if (type == CausalToken.class) {
      return CallParts.readToken(in);
    } else if (type instanceof ParameterizedType list) {
      Type element = list.getActualTypeArguments()[0];
      return in.readList(1, from -> readValue(element, from));
    }
    return read((Class<?>) type, in);
  }
}
