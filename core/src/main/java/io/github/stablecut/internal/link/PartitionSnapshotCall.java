package io.github.stablecut.internal.link;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.codec.QuestionCodec;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Asks another node of this data centre for what a new one begins with on a partition. While the
 * connection lasts, no checkpoint is made there. Confined to one thread.
 *
 * <pre>
 *   asks      {@link Handshake.Cut}
 *   answer    {@link Handshake.Welcome} once no checkpoint is made, or {@link Handshake.Refused}
 *   asks      a frame with a snapshot: the number of entries, each entry; all unsigned
 *   answer    files, as {@link JoinSender} has them
 * </pre>
 */
public final class PartitionSnapshotCall implements AutoCloseable {
  /** A checkpoint may have to be made first. */
  static final int PATIENCE_MILLIS = 300_000;

  private final SocketStreams wire;

  private PartitionSnapshotCall(SocketStreams wire) {
    this.wire = wire;
  }

  /**
   * Asks, and waits until no checkpoint is made there.
   *
   * @throws IOException if that is refused, or nobody answers, with words for people
   */
  public static PartitionSnapshotCall begin(
      Sockets sockets, String address, long group, long store, int partition) throws IOException {
    SocketStreams wire = SocketStreams.of(sockets.connect(Address.parse(address)));
    boolean isBegun = false;
    try {
      new Handshake.Cut(group, store, partition).write(wire.out());
      wire.waitAtMost(PATIENCE_MILLIS);
      Handshake answer = Handshake.read(wire.in());
      if (!(answer instanceof Handshake.Welcome)) {
        throw new IOException(
            answer instanceof Handshake.Refused refused
                ? refused.why()
                : "an answer that is not understood");
      }
      isBegun = true;
      return new PartitionSnapshotCall(wire);
    } finally {
      if (!isBegun) {
        wire.close();
      }
    }
  }

  /** Tells the snapshot. */
  public void choose(VectorClock snapshot) throws IOException {
    Frames.write(QuestionCodec.encode(out -> out.writeVector(snapshot)), wire.out());
    wire.out().flush();
  }

  /** Receives the files into an empty directory. */
  public void receive(Path directory) throws IOException {
    JoinSender.receive(wire.in(), directory, bytes -> {});
  }

  @Override
  public void close() {
    wire.close();
  }
}
