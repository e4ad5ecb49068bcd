package io.github.stablecut.cluster.command;

import io.github.stablecut.error.IoReason;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/**
 * The standard output of this process. What can't be written throws {@link UncheckedIOException}
 * with a {@link Lost}, also through a {@link java.io.PrintWriter}, which hides other exceptions: so
 * no command goes on, or ends with 0, whose output is lost. Thread-safe.
 */
final class StandardOutput extends OutputStream {
  /** The system's words, whatever the locale, for a reader that has ended. */
  private static final String BROKEN_PIPE = "Broken pipe";

  private final OutputStream file;

  /** The output can't be written. */
  static final class Lost extends IOException {
    private static final long serialVersionUID = 1L;
    private final boolean isUnread;

    private Lost(IOException cause) {
      super("standard output can't be written: " + IoReason.of(cause), cause);
      this.isUnread = String.valueOf(cause.getMessage()).contains(BROKEN_PIPE);
    }

    /** Whether it went to a program that reads no more, such as {@code head}. */
    boolean isUnread() {
      return isUnread;
    }
  }

  /** One that writes into something else. */
  StandardOutput(OutputStream file) {
    this.file = file;
  }

  /** This process's. */
  static StandardOutput ofProcess() {
    return new StandardOutput(new FileOutputStream(FileDescriptor.out));
  }

  @Override
  public void write(int one) {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    try {
      file.write(bytes, offset, length);
    } catch (IOException e) {
      throw new UncheckedIOException(new Lost(e));
    }
  }

  @Override
  public void flush() {
    try {
      file.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(new Lost(e));
    }
  }
}
