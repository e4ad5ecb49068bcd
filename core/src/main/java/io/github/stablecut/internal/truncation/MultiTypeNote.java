package io.github.stablecut.internal.truncation;

import io.github.stablecut.crdt.Bytes;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A checkpoint's note of the objects with several types, so that they can be reported after a
 * restart. For each it has the length of its id, in 4 bytes, and the id. The note is only
 * informative: if there are many such objects, it has only the first ones.
 */
public final class MultiTypeNote {
  private static final int MAX_BYTES = 1 << 16;

  private MultiTypeNote() {}

  static byte[] encode(Collection<Bytes> ids) {
    List<Bytes> noted = new ArrayList<>();
    int size = 0;
    for (Bytes id : ids) {
      int more = Integer.BYTES + id.length();
      if (size + more <= MAX_BYTES) {
        noted.add(id);
        size += more;
      }
    }
    ByteBuffer out = ByteBuffer.allocate(size);
    noted.forEach(id -> out.putInt(id.length()).put(id.toArray()));
    return out.array();
  }

  /** The ids in a note; those before the error if it is malformed. */
  public static List<Bytes> decode(byte[] note) {
    List<Bytes> ids = new ArrayList<>();
    ByteBuffer in = ByteBuffer.wrap(note);
    try {
      while (in.hasRemaining()) {
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
          break;
        }
        byte[] id = new byte[length];
        in.get(id);
        ids.add(Bytes.wrap(id));
      }
    } catch (BufferUnderflowException e) {
      // The note is only informative.
    }
    return ids;
  }
}
