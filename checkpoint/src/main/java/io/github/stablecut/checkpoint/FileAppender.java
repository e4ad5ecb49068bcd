package io.github.stablecut.checkpoint;

import java.io.IOException;

/** A file that is being written, from front to back. Confined to one thread at a time. */
public interface FileAppender extends AutoCloseable {
  /** Adds bytes to the end. After an exception nobody knows how many: delete the file. */
  void append(byte[] source, int from, int length) throws IOException;

  /**
   * Makes what was appended durable, though not the file's name ({@link Directory#force}). After an
   * exception nobody knows what is: delete the file, and don't try again.
   */
  void force() throws IOException;

  @Override
  void close() throws IOException;
}
