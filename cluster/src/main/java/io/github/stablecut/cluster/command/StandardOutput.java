package io.github.stablecut.cluster.command;

import io.github.stablecut.error.IoReason;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/**
 * The standard output of this process. A failed write throws an {@link UncheckedIOException} with a
 * {@link OutputLostException}, even through a {@link java.io.PrintWriter}, which swallows an {@link
 * IOException}. So a command whose output is lost stops, and never ends with 0. Thread-safe.
 */
final class StandardOutput extends OutputStream {
  /** The operating system's message in any locale when the reader has closed the pipe. */
  private static final String BROKEN_PIPE = "Broken pipe";

  private final OutputStream file;

  /** Thrown if the output can't be written. */
  static final class OutputLostException extends IOException {
    private static final long serialVersionUID = 1L;
    private final boolean isUnread;

    private OutputLostException(IOException cause) {
      super("standard output can't be written: " + IoReason.of(cause), cause);
      this.isUnread = String.valueOf(cause.getMessage()).contains(BROKEN_PIPE);
    }

    /** Whether the reader has closed the pipe, as {@code head} does. */
    boolean isUnread() {
      return isUnread;
    }
  }

  /** An output that writes into another stream. */
  StandardOutput(OutputStream file) {
    this.file = file;
  }

  /** The standard output of this process. */
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
      throw new UncheckedIOException(new OutputLostException(e));
    }
  }

  @Override
  public void flush() {
    try {
      file.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(new OutputLostException(e));
    }
  }
}
