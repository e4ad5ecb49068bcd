package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.file.PrivateFiles;
import io.github.stablecut.internal.backup.BackupWriter;
import io.github.stablecut.internal.link.PartitionSnapshotCall;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The cut of a partition on another node of the data centre: that one makes it ({@link
 * DataCentreAdmission#cut}). Confined to one thread.
 */
final class RemoteCut implements PartitionCut {
  private final Call call;
  private final Path directory;
  private Optional<PartitionSnapshotCall> begun = Optional.empty();

  /** Asks the other node. */
  @FunctionalInterface
  interface Call {
    PartitionSnapshotCall begin() throws IOException;
  }

  /**
   * @param directory not there; for what comes
   */
  RemoteCut(Call call, Path directory) {
    this.call = call;
    this.directory = directory;
  }

  @Override
  public void begin() throws IOException {
    begun = Optional.of(call.begin());
  }

  @Override
  public void complete(VectorClock at) throws IOException {
    begun.orElseThrow().choose(at);
  }

  @Override
  public BackupWriter.Source make(VectorClock at) throws IOException {
    PrivateFiles.createDirectory(directory);
    begun.orElseThrow().receive(directory);
    return new BackupWriter.Received(directory);
  }

  @Override
  public void release() {
    begun.ifPresent(PartitionSnapshotCall::close);
    begun = Optional.empty();
  }

  @Override
  public void close() {
    // What came goes with the directory that it is in.
  }
}
