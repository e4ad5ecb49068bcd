package io.github.stablecut.examples.gitlog;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** A log in a file or a pipe, with or without gzip compression, whatever its name. */
final class LogFile implements LogSource {
  /** Small, so that the bytes read approximate the bytes imported. */
  private static final int BUFFER_BYTES = 8 << 10;

  private static final int[] GZIP_MAGIC = {0x1f, 0x8b};

  private final Path file;
  private final long bytes;
  private final CountingStream counted;
  private final InputStream stream;

  private LogFile(Path file) throws IOException {
    this.file = file;
    this.bytes = Files.isRegularFile(file) ? Files.size(file) : 0;
    this.counted = new CountingStream(Files.newInputStream(file));
    try {
      InputStream buffered = new BufferedInputStream(counted, BUFFER_BYTES);
      this.stream = isGzip(buffered) ? new GZIPInputStream(buffered, BUFFER_BYTES) : buffered;
    } catch (IOException | RuntimeException e) {
      counted.close();
      throw e;
    }
  }

  /**
   * Opens a file.
   *
   * @throws GitLogException if it can't be read
   */
  static LogFile open(Path file) {
    if (!Files.exists(file)) {
      throw new GitLogException("no file " + file + ": check the path after --log");
    }
    if (Files.isDirectory(file)) {
      throw new GitLogException(file + " is a directory: name a repository with --repo");
    }
    try {
      return new LogFile(file);
    } catch (IOException e) {
      throw new GitLogException("can't read " + file + ": " + e, e);
    }
  }

  private static boolean isGzip(InputStream in) throws IOException {
    in.mark(GZIP_MAGIC.length);
    boolean matches = in.read() == GZIP_MAGIC[0] && in.read() == GZIP_MAGIC[1];
    in.reset();
    return matches;
  }

  @Override
  public String name() {
    return file.toString();
  }

  @Override
  public InputStream stream() {
    return stream;
  }

  @Override
  public double fraction(long commits) {
    return bytes == 0 ? -1 : (double) counted.count / bytes;
  }

  @Override
  public void finish() {}

  @Override
  public void close() {
    try {
      stream.close();
    } catch (IOException e) {
      throw new UncheckedIOException(file.toString(), e);
    }
  }

  /** A stream that counts the bytes read. */
  private static final class CountingStream extends FilterInputStream {
    private long count;

    CountingStream(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      int b = super.read();
      count += b < 0 ? 0 : 1;
      return b;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int read = super.read(target, offset, length);
      count += Math.max(0, read);
      return read;
    }
  }
}
