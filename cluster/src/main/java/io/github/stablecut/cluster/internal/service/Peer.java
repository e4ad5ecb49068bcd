package io.github.stablecut.cluster.internal.service;

import java.nio.ByteBuffer;
import java.util.List;

/** The other end of a connection. Thread-safe; nothing here blocks. */
public interface Peer {
  /**
   * Sends a frame, unless it is large and too much waits to be taken by clients.
   *
   * @return whether it is sent
   */
  boolean send(List<ByteBuffer> frame);

  /** Whether what was sent is taken at the other end; if not, sending more costs memory. */
  boolean isWritable();

  /** Stops or goes on reading from it. */
  void read(boolean reading);

  /** Closes the connection once everything is sent. */
  void close();
}
