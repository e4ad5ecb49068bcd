package io.github.stablecut.journal;

import io.github.stablecut.journal.internal.ChronicleSegments;
import io.github.stablecut.journal.internal.FileSegments;
import io.github.stablecut.journal.segment.SegmentStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The layout of the files of new segments. A journal reads files of either layout, and may have
 * both.
 */
public enum SegmentLayout {
  /** Files of Chronicle Queue, which needs {@link JvmFlags}. */
  CHRONICLE {
    @Override
    SegmentStore open(Path directory, int segmentBytes) throws IOException {
      return ChronicleSegments.open(directory, segmentBytes);
    }
  },

  /** Plain files, written with the JDK only. No class of Chronicle is loaded. */
  FILES {
    @Override
    SegmentStore open(Path directory, int segmentBytes) throws IOException {
      return FileSegments.open(directory, segmentBytes);
    }
  };

  /** The system property that selects a layout: {@code chronicle} or {@code files}. */
  public static final String PROPERTY = "stablecut.journal.layout";

  abstract SegmentStore open(Path directory, int segmentBytes) throws IOException;

  /**
   * The layout that this JVM uses: that of {@value #PROPERTY}, or else {@link #CHRONICLE} where the
   * JVM has the flags for it, and {@link #FILES} where it doesn't.
   *
   * @throws MissingJvmFlagsException if the property selects Chronicle, and the JVM lacks the flags
   * @throws IllegalArgumentException if the property has another value
   */
  public static SegmentLayout ofThisJvm() {
    String selected = System.getProperty(PROPERTY, "");
    if (selected.isEmpty()) {
      return JvmFlags.allowChronicle() ? CHRONICLE : FILES;
    }
    SegmentLayout layout = parse(selected);
    if (layout == CHRONICLE) {
      JvmFlags.requireChronicle();
    }
    return layout;
  }

  private static SegmentLayout parse(String selected) {
    for (SegmentLayout layout : values()) {
      if (layout.name().toLowerCase(Locale.ROOT).equals(selected)) {
        return layout;
      }
    }
    throw new IllegalArgumentException(
        "the system property %s is \"%s\": set it to chronicle or files, or remove it"
            .formatted(PROPERTY, selected));
  }
}
