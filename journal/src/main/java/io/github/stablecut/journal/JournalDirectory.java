package io.github.stablecut.journal;

import io.github.stablecut.journal.internal.ChronicleSegments;
import io.github.stablecut.journal.internal.SegmentFiles;
import io.github.stablecut.journal.segment.SegmentStore;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Opens the segments of a journal as files in a directory.
 *
 * <p>The directory belongs to the journal; the caller excludes other processes with a lock file
 * elsewhere. Each segment is a file of Chronicle Queue. Its name is the day whose number since 1970
 * is the segment's, such as {@code 19700108L.cq4} for segment 7. Files of earlier runs are in
 * {@code sealed/}, because Chronicle repairs what it finds and must not find them. {@code NEWEST}
 * records the extent of the journal. {@code metadata.cq4t} is meaningless and is deleted at open.
 */
public final class JournalDirectory {
  private JournalDirectory() {}

  /**
   * The segments in a directory, which is created if it doesn't exist.
   *
   * @param options the options that the journal is opened with
   * @throws MissingJvmFlagsException before anything is touched, if Chronicle Queue can't run
   */
  public static SegmentStore open(Path directory, JournalOptions options) throws IOException {
    JvmFlags.check();
    return ChronicleSegments.open(directory, options.segmentBytes());
  }

  /**
   * The segment number of a file name, such as 7 for {@code 19700108S.cq4}; 0 if it is not a
   * segment's.
   */
  public static int segmentOf(String fileName) {
    return SegmentFiles.segmentOf(fileName);
  }
}
