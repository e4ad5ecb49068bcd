package io.github.stablecut.examples.rocksdb;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.RecordId;
import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.TreeMap;

/**
 * Encodes records as keys and values. A key is space, lead, partition and rest. In the first three,
 * each byte 0 becomes 0 255, and 0 1 terminates them, which preserves the order. A value is, for
 * each cell, the column's number and the length of the value in four bytes each, and the value.
 */
final class RocksFormat {
  private RocksFormat() {}

  static byte[] key(RecordId id) {
    return key(id.space(), id.lead(), id.partition(), id.rest());
  }

  /** A key, or a prefix of keys: the last part is not terminated. */
  static byte[] key(Bytes... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int i = 0; i < parts.length - 1; i++) {
      write(parts[i], out);
      out.write(0);
      out.write(1);
    }
    if (parts.length == 4) {
      out.writeBytes(parts[3].toArray());
    } else {
      write(parts[parts.length - 1], out);
    }
    return out.toByteArray();
  }

  private static void write(Bytes part, ByteArrayOutputStream out) {
    for (int i = 0; i < part.length(); i++) {
      out.write(part.at(i));
      if (part.at(i) == 0) {
        out.write(255);
      }
    }
  }

  static RecordId id(byte[] key) {
    try {
      ByteBuffer in = ByteBuffer.wrap(key);
      Bytes space = read(in);
      Bytes lead = read(in);
      Bytes partition = read(in);
      byte[] rest = new byte[in.remaining()];
      in.get(rest);
      return new RecordId(space, lead, partition, Bytes.wrap(rest));
    } catch (BufferUnderflowException e) {
      throw new FormatException("a key ends in the middle: " + Bytes.wrap(key), e);
    }
  }

  private static Bytes read(ByteBuffer in) {
    ByteArrayOutputStream part = new ByteArrayOutputStream();
    while (true) {
      int current = in.get() & 255;
      if (current == 0) {
        int mark = in.get() & 255;
        if (mark == 1) {
          return Bytes.wrap(part.toByteArray());
        }
        if (mark != 255) {
          throw new FormatException("a key has 0 followed by " + mark);
        }
      }
      part.write(current);
    }
  }

  static byte[] value(Cells cells) {
    int length =
        cells.values().values().stream()
            .mapToInt(value -> 2 * Integer.BYTES + value.length())
            .sum();
    ByteBuffer out = ByteBuffer.allocate(length);
    cells
        .values()
        .forEach((column, value) -> out.putInt(column).putInt(value.length()).put(value.toArray()));
    return out.array();
  }

  static Cells cells(byte[] value) {
    ByteBuffer in = ByteBuffer.wrap(value);
    TreeMap<Integer, Bytes> cells = new TreeMap<>();
    try {
      while (in.hasRemaining()) {
        int column = in.getInt();
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
          throw new FormatException(
              "a cell of %d bytes in a record with %d left".formatted(length, in.remaining()));
        }
        byte[] cell = new byte[length];
        in.get(cell);
        cells.put(column, Bytes.wrap(cell));
      }
    } catch (BufferUnderflowException e) {
      throw new FormatException("a record ends in the middle of a cell", e);
    }
    return new Cells(cells);
  }

  /** The least key above all with a prefix, whose bytes are not all 255. */
  static byte[] after(byte[] prefix) {
    int length = prefix.length;
    while (prefix[length - 1] == -1) {
      length--;
    }
    byte[] end = Arrays.copyOf(prefix, length);
    end[length - 1]++;
    return end;
  }
}
