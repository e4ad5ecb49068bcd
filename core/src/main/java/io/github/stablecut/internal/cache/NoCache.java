package io.github.stablecut.internal.cache;

import io.github.stablecut.internal.index.ObjectEntry;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** A cache that keeps no versions. Thread-safe. */
final class NoCache implements VersionCache {
  private final LongAdder misses = new LongAdder();

  @Override
  public void hit(ObjectEntry entry) {}

  @Override
  public void made(ObjectEntry entry) {
    misses.increment();
  }

  @Override
  public void shrank(ObjectEntry entry) {}

  @Override
  public List<LevelStatus> levels() {
    return List.of();
  }

  @Override
  public long misses() {
    return misses.sum();
  }

  @Override
  public boolean keeps() {
    return false;
  }
}
