package io.github.stablecut.examples.ycsb;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;

/** Encodes YCSB's records as names of fields and their values, in the same way for both stores. */
final class Records {
  private Records() {}

  static byte[] encode(Map<String, byte[]> fields) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(fields.size());
      for (Map.Entry<String, byte[]> field : fields.entrySet()) {
        out.writeUTF(field.getKey());
        out.writeInt(field.getValue().length);
        out.write(field.getValue());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  static Map<String, byte[]> decode(byte[] record) {
    Map<String, byte[]> fields = new HashMap<>();
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(record))) {
      for (int left = in.readInt(); left > 0; left--) {
        String name = in.readUTF();
        fields.put(name, in.readNBytes(in.readInt()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return fields;
  }

  static Map<String, byte[]> of(Map<String, ByteIterator> values) {
    Map<String, byte[]> fields = new HashMap<>();
    values.forEach((name, value) -> fields.put(name, value.toArray()));
    return fields;
  }

  /**
   * Passes fields to YCSB.
   *
   * @param requestedFields null for all fields
   */
  static void show(
      byte[] record, @Nullable Set<String> requestedFields, Map<String, ByteIterator> result) {
    decode(record)
        .forEach(
            (name, value) -> {
              if (requestedFields == null || requestedFields.contains(name)) {
                result.put(name, new ByteArrayByteIterator(value));
              }
            });
  }
}
