package io.github.stablecut.cluster.internal.service;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** The other end of a connection. Thread-safe; nothing here blocks. */
public interface Peer {
  /**
   * Sends a frame, unless it is large and too much waits to be taken by clients. A frame that has
   * no room is not made, so that many clients who ask for much at once do not fill the memory.
   *
   * @param atLeast the bytes of the frame, at least
   * @param frame makes it
   * @return whether it is sent
   */
  boolean send(long atLeast, Supplier<List<ByteBuffer>> frame);

  /** Whether what was sent is taken at the other end; if not, sending more costs memory. */
  boolean isWritable();

  /**
   * Whether what the reading thread sends now comes behind all that was sent before: not while what
   * another thread has sent is still on its way to the reading thread, which writes it.
   */
  boolean mayReaderSend();

  /** Stops or goes on reading from it. */
  void read(boolean reading);

  /** The thread that reads from it: does what it is given once it has read what is there. */
  Executor reader();

  /** Where it comes from, once its handshake is over. */
  Origin origin();

  /** Closes the connection once everything is sent. */
  void close();
}
