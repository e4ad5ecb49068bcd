package io.github.stablecut.internal.transaction.datacentre;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.file.PrivateFiles;
import io.github.stablecut.internal.backup.BackupWriter;
import io.github.stablecut.internal.link.PartitionSnapshotCall;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The checkpoint of a partition on another node of the data centre, which makes it ({@link
 * DataCentreAdmission#cut}). Confined to one thread.
 */
final class RemoteCut implements PartitionCut {
  private final Call opener;
  private final Path directory;
  private Optional<PartitionSnapshotCall> call = Optional.empty();

  /** Opens a call to the other node. */
  @FunctionalInterface
  interface Call {
    PartitionSnapshotCall begin() throws IOException;
  }

  /**
   * @param directory to create, for the received files
   */
  RemoteCut(Call opener, Path directory) {
    this.opener = opener;
    this.directory = directory;
  }

  @Override
  public void begin() throws IOException {
    call = Optional.of(opener.begin());
  }

  @Override
  public void complete(VectorClock at) throws IOException {
    call.orElseThrow().choose(at);
  }

  @Override
  public BackupWriter.Source make(VectorClock at) throws IOException {
    PrivateFiles.createDirectory(directory);
    call.orElseThrow().receive(directory);
    return new BackupWriter.ReceivedPartition(directory);
  }

  @Override
  public void release() {
    call.ifPresent(PartitionSnapshotCall::close);
    call = Optional.empty();
  }

  @Override
  public void close() {
    // The caller deletes the directory with the received files.
  }
}
