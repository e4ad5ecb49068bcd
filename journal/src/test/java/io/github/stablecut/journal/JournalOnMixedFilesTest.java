package io.github.stablecut.journal;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Each process lays out its files differently. */
final class JournalOnMixedFilesTest extends JournalContract {
  @TempDir Path directory;
  private TestDisk.OnFiles disk;

  @BeforeEach
  void createDisk() {
    disk = new TestDisk.OnFiles(directory, SegmentLayout.CHRONICLE, SegmentLayout.FILES);
  }

  @AfterEach
  void closeDisk() throws IOException {
    disk.close();
  }

  @Override
  TestDisk disk() {
    return disk;
  }
}
