package io.github.stablecut.internal.link;

import io.github.stablecut.file.PrivateFiles;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Iterator;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Sends a new data centre the files of its initial state. One of the files has the hashes of the
 * others, which the receiver verifies when it uses them.
 *
 * <pre>
 *   for each file   length of the name (2 bytes, not 0), name, length (8 bytes), content
 *   0               2 bytes
 * </pre>
 */
public final class JoinSender {
  private static final int BUFFER_BYTES = 1 << 16;

  /** The time after which a receiver that accepts nothing counts as disconnected. */
  private static final long STALLED_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final String NAME = "(p[0-9]{1,4}/)?[A-Za-z0-9][A-Za-z0-9.-]{0,63}";

  private final DataOutputStream out;
  private final int own;
  private final String node;

  /**
   * The time at which bytes were last accepted, by {@link System#nanoTime}; empty before the
   * transfer.
   */
  private volatile OptionalLong acceptedAtNanos = OptionalLong.empty();

  JoinSender(DataOutputStream out, int own, String node) {
    this.out = out;
    this.own = own;
    this.node = node;
  }

  /** Refuses the join with a reason. */
  public void refuse(String why) throws IOException {
    new Handshake.Refused(why).write(out);
  }

  /** Accepts the join and sends all files of a directory. */
  public void send(Path directory) throws IOException {
    welcome();
    sendFiles(directory);
  }

  void welcome() throws IOException {
    new Handshake.Welcome(own, node).write(out);
  }

  void sendFiles(Path directory) throws IOException {
    recordProgress();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Iterator<Path> all = files.filter(Files::isRegularFile).iterator(); all.hasNext(); ) {
        Path file = all.next();
        StringBuilder name = new StringBuilder();
        directory
            .relativize(file)
            .forEach(part -> name.append(name.length() == 0 ? "" : "/").append(part));
        send(name.toString(), file);
      }
    }
    out.writeShort(0);
    out.flush();
  }

  private void send(String name, Path file) throws IOException {
    byte[] encoded = name.getBytes(StandardCharsets.UTF_8);
    out.writeShort(encoded.length);
    out.write(encoded);
    byte[] buffer = new byte[BUFFER_BYTES];
    try (InputStream in = Files.newInputStream(file)) {
      long remaining = Files.size(file);
      out.writeLong(remaining);
      while (remaining > 0) {
        int read = in.read(buffer, 0, (int) Math.min(remaining, buffer.length));
        if (read < 0) {
          throw new IOException(file + " was truncated during the transfer");
        }
        out.write(buffer, 0, read);
        remaining -= read;
        recordProgress();
      }
    }
  }

  private void recordProgress() {
    acceptedAtNanos = OptionalLong.of(System.nanoTime());
  }

  /** Whether the other side counts as disconnected because it has accepted nothing for a while. */
  boolean isStalled(long nowNanos) {
    OptionalLong last = acceptedAtNanos;
    return last.isPresent() && nowNanos - last.getAsLong() > STALLED_NANOS;
  }

  /**
   * Receives the files into an empty directory.
   *
   * @param progress receives the number of bytes so far
   * @throws IOException if the connection ends early or the data is invalid
   */
  static void receive(DataInputStream in, Path directory, java.util.function.LongConsumer progress)
      throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    long done = 0;
    for (int length = in.readUnsignedShort(); length > 0; length = in.readUnsignedShort()) {
      byte[] encoded = new byte[length];
      in.readFully(encoded);
      String name = new String(encoded, StandardCharsets.UTF_8);
      if (!name.matches(NAME)) {
        throw new IOException("a file can't be called \"" + name + "\"");
      }
      long remaining = in.readLong();
      if (remaining < 0) {
        throw new IOException(name + " has a length of " + remaining);
      }
      Path file = directory.resolve(name);
      int slash = name.indexOf('/');
      if (slash > 0) {
        PrivateFiles.createDirectories(directory.resolve(name.substring(0, slash)));
      }
      try (FileChannel to =
          PrivateFiles.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        while (remaining > 0) {
          int read = in.read(buffer, 0, (int) Math.min(remaining, buffer.length));
          if (read < 0) {
            throw new IOException("the connection ended in the middle of " + name);
          }
          ByteBuffer piece = ByteBuffer.wrap(buffer, 0, read);
          while (piece.hasRemaining()) {
            to.write(piece);
          }
          remaining -= read;
          done += read;
          progress.accept(done);
        }
      }
    }
  }
}
