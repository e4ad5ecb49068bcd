package io.github.stablecut.internal.backup;

import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.file.PrivateFiles;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A file with records of a journal.
 *
 * <pre>
 *   kind     1 byte
 *   length   4 bytes
 *   body
 * </pre>
 */
public final class JournalRecords implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 16;

  private final FileChannel file;
  private final DataOutputStream out;
  private @Nullable IOException failure;

  private JournalRecords(FileChannel file) {
    this.file = file;
    this.out =
        new DataOutputStream(
            new BufferedOutputStream(Channels.newOutputStream(file), BUFFER_BYTES));
  }

  /** Receives a record. */
  @FunctionalInterface
  interface Visitor {
    void visit(byte kind, byte[] body) throws IOException;
  }

  /** Encodes a record in the format of the file. */
  public static void put(byte kind, byte[] body, ByteArrayOutputStream out) {
    out.write(kind);
    out.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(body.length).array());
    out.writeBytes(body);
  }

  /** Begins a new file. */
  public static JournalRecords create(Path file) throws IOException {
    return new JournalRecords(
        PrivateFiles.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
  }

  /** Adds a record. {@link #close} throws any failure. */
  public void add(byte kind, byte[] body) {
    if (failure != null) {
      return;
    }
    try {
      out.writeByte(kind);
      out.writeInt(body.length);
      out.write(body);
    } catch (IOException e) {
      failure = e;
    }
  }

  /**
   * Makes the file durable and closes it.
   *
   * @throws IOException if a record could not be written
   */
  @Override
  public void close() throws IOException {
    try (file) {
      if (failure != null) {
        throw failure;
      }
      out.flush();
      file.force(true);
    }
  }

  /**
   * Reads a file.
   *
   * @throws CorruptStoreException if it is malformed
   */
  static void read(Path file, Visitor visitor) throws IOException {
    long left = Files.size(file);
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES))) {
      while (left > 0) {
        byte kind = left > Integer.BYTES ? in.readByte() : -1;
        int length = kind >= 0 ? in.readInt() : -1;
        left -= 1 + Integer.BYTES;
        if (length < 0 || length > left) {
          throw new CorruptStoreException(
              file + " is damaged: a record is malformed; fetch it again");
        }
        visitor.visit(kind, in.readNBytes(length));
        left -= length;
      }
    }
  }
}
