package io.github.stablecut.cluster.internal.register;

import io.github.stablecut.file.PrivateFiles;
import io.github.stablecut.log.Log;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.RaftServerConfigKeys.Log.CorruptionPolicy;
import org.apache.ratis.server.raftlog.segmented.LogSegment;
import org.apache.ratis.server.raftlog.segmented.LogSegmentPath;
import org.slf4j.Logger;

/**
 * Repairs the file in which Ratis keeps this node's term and its vote in that term. If the disk is
 * full during a write, Ratis leaves the file empty or truncated, and can't open it again. The
 * repair starts a later term, in which the node has not voted ({@link VotedTerms}). Stateless.
 */
final class VoteFileRepair {
  private static final Logger LOG = Log.of(VoteFileRepair.class);
  private static final String META = "raft-meta";
  private static final String TERM = "term";
  private static final String VOTED_FOR = "votedFor";

  private VoteFileRepair() {}

  private static Path current(Path group) {
    return group.resolve("current");
  }

  /**
   * The term in the file; 0 if there is no file yet, and empty if the file is incomplete.
   *
   * @param group the directory of the group
   */
  static OptionalLong term(Path group) throws IOException {
    Path meta = current(group).resolve(META);
    if (!Files.exists(meta)) {
      return OptionalLong.of(0);
    }
    String text = Files.readString(meta);
    Properties found = new Properties();
    found.load(new StringReader(text));
    String term = found.getProperty(TERM, "");
    // Without the final line end, a number may be truncated.
    boolean isWhole =
        text.endsWith("\n") && found.containsKey(VOTED_FOR) && term.matches("[0-9]{1,18}");
    return isWhole ? OptionalLong.of(Long.parseLong(term)) : OptionalLong.empty();
  }

  /**
   * Rewrites the file.
   *
   * @param term a term above all in which this node may have voted
   */
  static void repair(Path group, long term) throws IOException {
    Path current = current(group);
    PrivateFiles.replace(current, META, "%s=%d\n%s=\n".formatted(TERM, term, VOTED_FOR));
    LOG.warn(
        "{} was truncated when the disk was full; rewrote it with term {}",
        current.resolve(META),
        term);
  }

  /** The greatest term of an entry in the log; 0 if it has none. */
  static long lastLogTerm(Path group) throws IOException {
    AtomicLong last = new AtomicLong();
    for (LogSegmentPath segment : segments(current(group))) {
      LogSegment.readSegmentFile(
          segment.getPath().toFile(),
          segment.getStartEnd(),
          RaftServerConfigKeys.Log.Appender.bufferByteLimit(RegisterProperties.in(group)),
          CorruptionPolicy.WARN_AND_RETURN,
          null,
          entry -> last.accumulateAndGet(entry.getTerm(), Math::max));
    }
    return last.get();
  }

  private static List<LogSegmentPath> segments(Path current) throws IOException {
    try (Stream<Path> files = Files.list(current)) {
      return files
          .flatMap(file -> Stream.ofNullable(LogSegmentPath.matchLogSegment(file)))
          .toList();
    }
  }
}
