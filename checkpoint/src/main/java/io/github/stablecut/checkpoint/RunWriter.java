package io.github.stablecut.checkpoint;

import io.github.stablecut.checkpoint.internal.RunFormat;
import io.github.stablecut.crdt.Bytes;

/**
 * Writes a run: the objects that changed since the newest checkpoint, in the order of their ids. To
 * be closed after the change that adds the run; closing drops a run that was not added. Confined to
 * one thread; several runs may be written concurrently.
 */
public final class RunWriter implements AutoCloseable {
  private final PendingFile file;
  private final byte[] notes;
  private long entries;

  RunWriter(PendingFile file, byte[] notes) {
    this.file = file;
    this.notes = notes;
  }

  /**
   * Adds an object.
   *
   * @param typeId the number of its type
   * @param lastCommitTime the commit time of the last local transaction in the state
   * @param state its bytes, possibly empty
   * @throws IllegalArgumentException if the id is not above the previous one; nothing was added
   * @throws CheckpointDroppedException if it can't be written; the run was dropped
   */
  public void put(Bytes id, long typeId, long lastCommitTime, byte[] state) {
    add(RunFormat.stateEntry(id.toArray(), typeId, lastCommitTime, state));
  }

  /** Adds a deleted object; otherwise like {@link #put}. */
  public void putDeleted(Bytes id, long typeId, long lastCommitTime) {
    add(RunFormat.deletedEntry(id.toArray(), typeId, lastCommitTime));
  }

  private void add(byte[] entry) {
    file.add(entry);
    entries++;
  }

  /** The number of objects so far. */
  public long entries() {
    return entries;
  }

  /** The number of bytes so far. */
  public long bytes() {
    return file.bytes();
  }

  /**
   * Completes the run and makes its bytes durable. It counts once a change adds it ({@link
   * ManifestChange#addRun}).
   *
   * @throws CheckpointDroppedException if it can't be written; the run was dropped
   */
  public ManifestFile finish() {
    return file.finish(notes);
  }

  @Override
  public void close() {
    file.close();
  }
}
