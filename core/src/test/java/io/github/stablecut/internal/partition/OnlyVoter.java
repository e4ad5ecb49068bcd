package io.github.stablecut.internal.partition;

import io.github.stablecut.journal.LogReplicas;
import io.github.stablecut.journal.PendingRecord;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A leader that waits for no other replica. */
final class OnlyVoter implements LogReplicas {
  private final int largestRecord;

  OnlyVoter() {
    this(Integer.MAX_VALUE);
  }

  OnlyVoter(int largestRecord) {
    this.largestRecord = largestRecord;
  }

  @Override
  public void send(long first, List<PendingRecord> group) {}

  @Override
  public void await(long next) {}

  @Override
  public CompletionStage<Boolean> confirm() {
    return CompletableFuture.completedFuture(true);
  }

  @Override
  public boolean mayLackRoom() {
    return false;
  }

  @Override
  public void checkRoom() {}

  @Override
  public int largestRecord() {
    return largestRecord;
  }

  @Override
  public long oldestNeeded() {
    return Long.MAX_VALUE;
  }
}
