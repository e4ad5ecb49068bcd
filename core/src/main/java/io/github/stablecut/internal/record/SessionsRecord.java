package io.github.stablecut.internal.record;

import io.github.stablecut.crdt.FormatException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The record of the last requests of sessions, written before the segments with the original
 * records are dropped.
 *
 * <pre>
 *   version       1 byte, now 2
 *   number        4 bytes, big-endian; then for each
 *     session     28 bytes: milliseconds since 1970 when it was opened, 8 bytes; 16 random bytes;
 *                 a number for the client that it was issued to, 4 bytes
 *     request     8 bytes
 *     digest      16 bytes: the beginning of the SHA-256 of the request's updates
 *     time        8 bytes: the request's commit time
 * </pre>
 */
public final class SessionsRecord {
  private static final int VERSION = 2;
  private static final int HEADER_BYTES = 1 + Integer.BYTES;
  private static final int ENTRY_BYTES = SessionName.BYTES + Digest.BYTES + 2 * Long.BYTES;

  /** Maximum number of entries in a record; more take several records. */
  public static final int MAX_ENTRIES = 10_000;

  private SessionsRecord() {}

  /**
   * The last request of a session.
   *
   * @param time its commit time
   */
  public record Entry(RequestId request, long time) {}

  /**
   * Encodes a record.
   *
   * @param entries at most {@link #MAX_ENTRIES}
   */
  public static byte[] encode(List<Entry> entries) {
    ByteBuffer out = ByteBuffer.allocate(HEADER_BYTES + entries.size() * ENTRY_BYTES);
    out.put((byte) VERSION).putInt(entries.size());
    for (Entry entry : entries) {
      entry.request.session().put(out);
      out.putLong(entry.request.number());
      entry.request.updates().put(out);
      out.putLong(entry.time);
    }
    return out.array();
  }

  /** Decodes the entries in the body of a record. */
  public static List<Entry> read(byte[] body, long position) {
    try {
      ByteBuffer in = ByteBuffer.wrap(body);
      int version = in.get();
      int entries = in.getInt();
      if (version != VERSION || entries < 0 || in.remaining() != (long) entries * ENTRY_BYTES) {
        throw malformed(body, position);
      }
      List<Entry> read = new ArrayList<>(entries);
      for (int i = 0; i < entries; i++) {
        SessionName session = SessionName.read(in);
        RequestId request = new RequestId(session, in.getLong(), Digest.read(in));
        read.add(new Entry(request, in.getLong()));
      }
      return read;
    } catch (BufferUnderflowException e) {
      throw malformed(body, position);
    }
  }

  private static FormatException malformed(byte[] body, long position) {
    return new FormatException(
        "sessions record at journal position %d is malformed: %d bytes"
            .formatted(position, body.length));
  }
}
