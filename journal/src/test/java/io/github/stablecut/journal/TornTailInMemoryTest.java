package io.github.stablecut.journal;

final class TornTailInMemoryTest extends TornTailContract {
  @Override
  TestDisk newDisk() {
    return new TestDisk.InMemory();
  }
}
