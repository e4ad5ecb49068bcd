package io.github.stablecut.cluster.internal.exchange;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.Scan;
import io.github.stablecut.Snapshot;
import io.github.stablecut.StoredObject;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.key.Key;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * Writes the objects of a snapshot as lines of JSON, ordered by the bytes of bucket and key.
 *
 * <pre>
 *   {"bucket":"posts","key":"42/likes","type":"counter","value":3}
 * </pre>
 *
 * <p>{@link ObjectJson} describes type and value, {@link JsonBytes} bucket, key and all other
 * bytes. Objects that a scan omits ({@link Scan}) are missing.
 */
public final class ExportWriter {
  /** Maximum length of a line: 512 MiB. */
  static final int MAX_LINE_BYTES = 512 << 20;

  private static final ObjectMapper MAPPER =
      new ObjectMapper(
          JsonFactory.builder()
              .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
              .build());

  private ExportWriter() {}

  /**
   * Writes all objects.
   *
   * @param out not closed
   * @param progress receives the number of objects written so far
   * @return the number of objects
   * @throws LimitExceededException if an object is too large for a line
   */
  @CanIgnoreReturnValue
  public static long write(Snapshot snapshot, OutputStream out, LongConsumer progress)
      throws IOException {
    long objects = 0;
    try (Scan scan = snapshot.scan()) {
      while (scan.hasNext()) {
        byte[] line = line(snapshot, scan.next());
        out.write(line);
        out.write('\n');
        progress.accept(++objects);
      }
    }
    return objects;
  }

  /** Returns an object as JSON. */
  static byte[] line(Snapshot snapshot, StoredObject object) throws IOException {
    ObjectNode node = MAPPER.createObjectNode();
    node.set("bucket", JsonBytes.write(object.bucket()));
    node.set("key", JsonBytes.write(object.key()));
    ObjectJson.write(
        node,
        object.type(),
        object::value,
        () -> deadline(snapshot, object.bucket(), object.key(), object.type()));
    byte[] line = MAPPER.writeValueAsBytes(node);
    if (line.length > MAX_LINE_BYTES) {
      throw new LimitExceededException(
          "object %s/%s takes %,d bytes as JSON, and at most %,d can be imported: make a backup instead"
              .formatted(object.bucket(), object.key(), line.length, MAX_LINE_BYTES));
    }
    return line;
  }

  /** Returns the expiry time of an object of an expiring type. */
  static Optional<Instant> deadline(
      Snapshot snapshot, Bytes bucket, Bytes key, CrdtType<?, ?, ?, ?> type) {
    return snapshot.read(Key.expiring(Key.of(bucket, key, ObjectJson.content(type))));
  }
}
