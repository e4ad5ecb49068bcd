package io.github.stablecut.journal;

import io.github.stablecut.journal.internal.SegmentFiles;
import io.github.stablecut.journal.segment.SegmentStore;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Opens the segments of a journal as files in a directory.
 *
 * <p>The directory belongs to the journal; the caller excludes other processes with a lock file
 * elsewhere. Each segment is a file with a layout ({@link SegmentLayout}). Segment 7 is the file
 * {@code 0000000007.seg}; with Chronicle Queue its name is the day whose number since 1970 is the
 * segment's, {@code 19700108S.cq4}. Files of earlier runs are in {@code sealed/}, because Chronicle
 * repairs what it finds and must not find them. {@code NEWEST} records the extent of the journal.
 * {@code metadata.cq4t} is meaningless and is deleted at open.
 */
public final class JournalDirectory {
  private JournalDirectory() {}

  /**
   * The segments in a directory, which is created if it doesn't exist. New segments get the layout
   * of this JVM ({@link SegmentLayout#ofThisJvm}).
   *
   * @param options the options that the journal is opened with
   */
  public static SegmentStore open(Path directory, JournalOptions options) throws IOException {
    return open(directory, options.segmentBytes(), SegmentLayout.ofThisJvm());
  }

  /**
   * Like {@link #open(Path, JournalOptions)}, with a layout.
   *
   * @param segmentBytes as {@link JournalOptions#segmentBytes}
   */
  public static SegmentStore open(Path directory, int segmentBytes, SegmentLayout layout)
      throws IOException {
    return layout.open(directory, segmentBytes);
  }

  /**
   * The segment number of a file name, such as 7 for {@code 0000000007.seg} or {@code
   * 19700108S.cq4}; 0 if it is not a segment's.
   */
  public static int segmentOf(String fileName) {
    return SegmentFiles.segmentOf(fileName);
  }
}
