package io.github.stablecut.cluster.internal.service;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.cluster.internal.service.handle.Origin;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** The other end of a connection. Thread-safe; no method blocks. */
public interface Peer {
  /**
   * Sends a frame, unless it is large and unsent answers already fill their memory budget. A
   * rejected frame is not encoded, so that many clients with large requests do not exhaust the
   * heap.
   *
   * @param minBytes a lower bound of the frame's size
   * @param frame encodes the frame
   * @return whether the frame was accepted
   */
  @CanIgnoreReturnValue
  boolean send(long minBytes, Supplier<List<ByteBuffer>> frame);

  /** Returns whether the other end takes what was sent; if not, sending more costs memory. */
  boolean isWritable();

  /**
   * Returns whether a frame that the reading thread sends now follows all earlier ones. False while
   * a frame of another thread is still queued for the reading thread, which writes it.
   */
  boolean mayReaderSend();

  /** Pauses or resumes reading. */
  void read(boolean reading);

  /** Returns the reading thread, which runs a task after it has read the available bytes. */
  Executor reader();

  /** Returns the client's address and user; requires a complete handshake. */
  Origin origin();

  /** Closes the connection once everything has been sent. */
  void close();
}
