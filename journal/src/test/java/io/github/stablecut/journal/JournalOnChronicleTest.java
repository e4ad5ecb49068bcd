package io.github.stablecut.journal;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

final class JournalOnChronicleTest extends JournalContract {
  @TempDir Path directory;

  @Override
  SegmentStore store() throws IOException {
    return JournalDirectory.open(directory, SEGMENT_BYTES);
  }
}
