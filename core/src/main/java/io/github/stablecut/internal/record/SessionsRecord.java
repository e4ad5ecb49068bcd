package io.github.stablecut.internal.record;

import io.github.stablecut.crdt.FormatException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The record of what sessions did last, written before the segments go that had it.
 *
 * <pre>
 *   version       1 byte, now 1
 *   number        4 bytes, big-endian; then for each
 *     session     16 bytes
 *     request     8 bytes
 *     time        8 bytes: the request's commit time
 * </pre>
 */
public final class SessionsRecord {
  private static final int VERSION = 1;
  private static final int HEADER_BYTES = 1 + Integer.BYTES;
  private static final int ENTRY_BYTES = 4 * Long.BYTES;

  /** So many fit into one record; more take several. */
  public static final int MAX_ENTRIES = 10_000;

  private SessionsRecord() {}

  /**
   * The last request of a session.
   *
   * @param time its commit time
   */
  public record Entry(RequestId request, long time) {}

  /**
   * The bytes.
   *
   * @param entries at most {@link #MAX_ENTRIES}
   */
  public static byte[] encode(List<Entry> entries) {
    ByteBuffer out = ByteBuffer.allocate(HEADER_BYTES + entries.size() * ENTRY_BYTES);
    out.put((byte) VERSION).putInt(entries.size());
    for (Entry entry : entries) {
      UUID session = entry.request.session();
      out.putLong(session.getMostSignificantBits()).putLong(session.getLeastSignificantBits());
      out.putLong(entry.request.number()).putLong(entry.time);
    }
    return out.array();
  }

  /** The entries of a record whose body is at hand. */
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
        UUID session = new UUID(in.getLong(), in.getLong());
        RequestId request = new RequestId(session, in.getLong());
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
