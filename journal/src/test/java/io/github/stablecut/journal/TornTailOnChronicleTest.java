package io.github.stablecut.journal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

final class TornTailOnChronicleTest extends TornTailContract {
  @TempDir Path directory;
  private final List<TestDisk.OnFiles> disks = new ArrayList<>();

  @Override
  TestDisk newDisk() {
    TestDisk.OnFiles disk =
        new TestDisk.OnFiles(directory.resolve("disk" + disks.size()), SegmentLayout.CHRONICLE);
    disks.add(disk);
    return disk;
  }

  @AfterEach
  void closeDisks() throws IOException {
    for (TestDisk.OnFiles disk : disks) {
      disk.close();
    }
  }
}
