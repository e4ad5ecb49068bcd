package io.github.stablecut.cluster.internal.register;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import io.github.stablecut.file.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file in which Ratis keeps the term of this node, and for whom it has voted in that: if the
 * disk is full when it is written, Ratis puts an empty file in its place, and can't open that any
 * more. A node may begin any later term, in which it has not voted: the time in milliseconds is
 * one, as an election takes longer than that.
 */
final class EmptiedVote {
  private static final Logger LOG = LoggerFactory.getLogger(EmptiedVote.class);
  private static final String META = "raft-meta";

  private EmptiedVote() {}

  /**
   * Writes it anew if it is empty.
   *
   * @param group the directory of the group
   * @param term above all in which this node may have voted
   */
  static void repair(Path group, long term) throws IOException {
    Path current = group.resolve("current");
    Path meta = current.resolve(META);
    if (!Files.exists(meta) || Files.size(meta) > 0) {
      return;
    }
    Path written = current.resolve(META + ".written");
    try (FileChannel out =
        FileChannel.open(
            written,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer left = ByteBuffer.wrap("term=%d\nvotedFor=\n".formatted(term).getBytes(UTF_8));
      while (left.hasRemaining()) {
        int unused = out.write(left);
      }
      out.force(true);
    }
    Path repaired = Files.move(written, meta, ATOMIC_MOVE, REPLACE_EXISTING);
    PrivateFiles.forceDirectory(current);
    LOG.warn("{} was emptied when the disk was full, and is written anew", repaired);
  }
}
