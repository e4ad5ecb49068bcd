package io.github.stablecut.checkpoint;

import io.github.stablecut.checkpoint.internal.RunBuilder;
import io.github.stablecut.checkpoint.internal.RunFormat;
import io.github.stablecut.crdt.Bytes;
import java.io.IOException;

/**
 * Writes a run: the objects that changed since the newest checkpoint, in the order of their ids.
 * Confined to one thread; several may be written at the same time. An exception other than that for
 * a wrong order drops the run; so does {@link #close} before {@link #finish}.
 */
public final class RunWriter implements AutoCloseable {
  private final CheckpointStore store;
  private final RunBuilder builder;
  private final Checkpoint checkpoint;
  private final byte[] sessions;
  private long entries;

  RunWriter(CheckpointStore store, RunBuilder builder, Checkpoint checkpoint, byte[] sessions) {
    this.store = store;
    this.builder = builder;
    this.checkpoint = checkpoint;
    this.sessions = sessions;
  }

  /**
   * Adds an object.
   *
   * @param typeId the number of its type
   * @param lastCommitTime the commit time of the last transaction here that is in the state
   * @param state its bytes, which may be none
   * @throws IllegalArgumentException if the id is not above the one before; nothing was added
   * @throws CheckpointDroppedException if it can't be written
   */
  public void put(Bytes id, long typeId, long lastCommitTime, byte[] state) {
    add(RunFormat.stateEntry(id.toArray(), typeId, lastCommitTime, state));
  }

  /** Adds an object that has no state any more; otherwise as {@link #put}. */
  public void putDeleted(Bytes id, long typeId, long lastCommitTime) {
    add(RunFormat.deletedEntry(id.toArray(), typeId, lastCommitTime));
  }

  private void add(byte[] entry) {
    try {
      builder.add(entry);
      entries++;
    } catch (IOException e) {
      throw store.dropped(builder, e);
    }
  }

  /** The number of objects so far. */
  public long entries() {
    return entries;
  }

  /** The number of bytes so far. */
  public long bytes() {
    return builder.bytes();
  }

  /**
   * Completes the run and makes its bytes durable. It counts once a change adds it ({@link
   * ManifestChange#addRun}).
   *
   * @throws CheckpointDroppedException if it can't be written
   */
  public ManifestFile finish() {
    try {
      return builder.finish(checkpoint, sessions);
    } catch (IOException e) {
      throw store.dropped(builder, e);
    }
  }

  @Override
  public void close() {
    store.abandon(builder);
  }
}
