package io.github.stablecut.journal;

final class JournalInMemoryTest extends JournalContract {
  private LossySegments disk = new LossySegments();

  @Override
  SegmentStore store() {
    disk = disk.afterKill();
    return disk;
  }
}
