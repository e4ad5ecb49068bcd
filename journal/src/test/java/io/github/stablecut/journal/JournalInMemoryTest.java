package io.github.stablecut.journal;

final class JournalInMemoryTest extends JournalContract {
  private final TestDisk disk = new TestDisk.InMemory();

  @Override
  TestDisk disk() {
    return disk;
  }
}
