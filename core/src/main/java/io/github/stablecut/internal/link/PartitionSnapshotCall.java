package io.github.stablecut.internal.link;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.codec.QuestionCodec;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Requests from another node of this data centre the initial state of a partition for a new one.
 * Checkpoints are paused there while the connection lasts. Confined to one thread.
 *
 * <pre>
 *   request   {@link Handshake.Cut}
 *   answer    {@link Handshake.Welcome} once checkpoints are paused, or {@link Handshake.Refused}
 *   request   a frame with a snapshot: the number of entries, each entry; all unsigned
 *   answer    files, in the format of {@link JoinSender}
 * </pre>
 */
public final class PartitionSnapshotCall implements AutoCloseable {
  /** The timeout of an answer; a checkpoint may have to be made first. */
  static final int TIMEOUT_MILLIS = 300_000;

  private final SocketStreams connection;

  private PartitionSnapshotCall(SocketStreams connection) {
    this.connection = connection;
  }

  /**
   * Opens a call and waits until checkpoints are paused there.
   *
   * @throws IOException if the node refuses or does not answer, with a message for users
   */
  public static PartitionSnapshotCall begin(
      Sockets sockets, String address, long group, long store, int partition) throws IOException {
    SocketStreams connection = SocketStreams.of(sockets.connect(Address.parse(address)));
    boolean isBegun = false;
    try {
      new Handshake.Cut(group, store, partition).write(connection.out());
      connection.setReadTimeout(TIMEOUT_MILLIS);
      Handshake answer = Handshake.read(connection.in());
      if (!(answer instanceof Handshake.Welcome)) {
        throw new IOException(
            answer instanceof Handshake.Refused refused ? refused.why() : "a malformed answer");
      }
      isBegun = true;
      return new PartitionSnapshotCall(connection);
    } finally {
      if (!isBegun) {
        connection.close();
      }
    }
  }

  /** Sends the chosen snapshot. */
  public void choose(VectorClock snapshot) throws IOException {
    Frames.write(QuestionCodec.encode(out -> out.writeVector(snapshot)), connection.out());
    connection.out().flush();
  }

  /** Receives the files into an empty directory. */
  public void receive(Path directory) throws IOException {
    JoinSender.receive(connection.in(), directory, bytes -> {});
  }

  @Override
  public void close() {
    connection.close();
  }
}
