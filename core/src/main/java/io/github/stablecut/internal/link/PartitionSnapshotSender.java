package io.github.stablecut.internal.link;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.QuestionCodec;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Sends another node of this data centre the initial state of a partition for a new one. Confined
 * to one thread.
 */
public final class PartitionSnapshotSender {
  private final SocketStreams connection;
  private final JoinSender files;

  PartitionSnapshotSender(SocketStreams connection, JoinSender files) {
    this.connection = connection;
    this.files = files;
  }

  /** Refuses the request with a reason. */
  public void refuse(String why) throws IOException {
    files.refuse(why);
  }

  /**
   * Reports that checkpoints are paused here, and waits for the snapshot, which is chosen after all
   * partitions have reported.
   */
  public VectorClock snapshot() throws IOException {
    files.welcome();
    connection.setReadTimeout(PartitionSnapshotCall.TIMEOUT_MILLIS);
    try {
      return QuestionCodec.decode(
          Frames.read(connection.in(), Handshake.MAX_BYTES << 2), Decoder::readVector);
    } catch (FormatException e) {
      throw new IOException("not a snapshot: " + e.getMessage(), e);
    }
  }

  /** Sends all files of a directory. */
  public void send(Path directory) throws IOException {
    files.sendFiles(directory);
  }
}
