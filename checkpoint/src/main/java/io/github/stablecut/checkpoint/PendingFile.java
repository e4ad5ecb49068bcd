package io.github.stablecut.checkpoint;

import io.github.stablecut.checkpoint.internal.ObsoleteFiles;
import io.github.stablecut.checkpoint.internal.RunBuilder;
import java.io.IOException;
import java.util.Optional;

/**
 * A run or a history file from its first entry to the change that adds it. After any failure,
 * {@link #close} leaves no file that is not part of the store. Confined to one thread.
 */
final class PendingFile implements AutoCloseable {
  private final ManifestCommitter changes;
  private final ObsoleteFiles leftovers;
  private final RunBuilder builder;
  private final Checkpoint checkpoint;
  private Optional<ManifestFile> complete = Optional.empty();

  PendingFile(
      ManifestCommitter changes,
      ObsoleteFiles leftovers,
      RunBuilder builder,
      Checkpoint checkpoint) {
    this.changes = changes;
    this.leftovers = leftovers;
    this.builder = builder;
    this.checkpoint = checkpoint;
  }

  void add(byte[] entry) {
    try {
      builder.add(entry);
    } catch (IOException e) {
      throw dropped(e);
    }
  }

  long bytes() {
    return builder.bytes();
  }

  ManifestFile finish(byte[] notes) {
    try {
      ManifestFile file = builder.finish(checkpoint, notes);
      changes.hold(file);
      complete = Optional.of(file);
      return file;
    } catch (IOException e) {
      throw dropped(e);
    }
  }

  private CheckpointDroppedException dropped(IOException cause) {
    close();
    return CheckpointDroppedException.because(cause);
  }

  @Override
  public void close() {
    try {
      builder.close();
    } catch (IOException e) {
      builder.fileNames().forEach(leftovers::add);
    } catch (RuntimeException | Error e) {
      builder.fileNames().forEach(leftovers::add);
      throw e;
    } finally {
      complete.ifPresent(changes::release);
    }
  }
}
