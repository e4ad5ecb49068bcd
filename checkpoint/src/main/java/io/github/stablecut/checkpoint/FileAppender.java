package io.github.stablecut.checkpoint;

import java.io.IOException;

/** A file that is being written, from front to back. Confined to one thread at a time. */
public interface FileAppender extends AutoCloseable {
  /** Appends bytes. After an exception it is unknown how many: delete the file. */
  void append(byte[] source, int from, int length) throws IOException;

  /**
   * Makes the appended bytes durable, but not the file's name ({@link Directory#force}). After an
   * exception it is unknown what is durable: delete the file, and don't retry.
   */
  void force() throws IOException;

  @Override
  void close() throws IOException;
}
