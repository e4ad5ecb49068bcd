package io.github.stablecut.internal.link;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.QuestionCodec;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Sends another node of this data centre what a new one begins with on a partition. Confined to one
 * thread.
 */
public final class PartitionSnapshotSender {
  private final SocketStreams wire;
  private final JoinSender files;

  PartitionSnapshotSender(SocketStreams wire, JoinSender files) {
    this.wire = wire;
    this.files = files;
  }

  /** Says why there is nothing to send here. */
  public void refuse(String why) throws IOException {
    files.refuse(why);
  }

  /**
   * Says that no checkpoint is made here any more, and waits for the snapshot that is chosen once
   * that is so on all partitions.
   */
  public VectorClock snapshot() throws IOException {
    files.welcome();
    wire.waitAtMost(PartitionSnapshotCall.PATIENCE_MILLIS);
    try {
      return QuestionCodec.decode(
          Frames.read(wire.in(), Handshake.MAX_BYTES << 2), Decoder::readVector);
    } catch (FormatException e) {
      throw new IOException("not a snapshot: " + e.getMessage(), e);
    }
  }

  /** Sends all files of a directory. */
  public void send(Path directory) throws IOException {
    files.sendFiles(directory);
  }
}
