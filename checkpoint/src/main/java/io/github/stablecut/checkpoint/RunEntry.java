package io.github.stablecut.checkpoint;

import io.github.stablecut.checkpoint.internal.RunFormat;
import io.github.stablecut.crdt.Bytes;

/**
 * An object in one checkpoint: its state, or a mark that it is deleted. Immutable; holds the
 * encoded bytes, whose checksum was right.
 */
public final class RunEntry {
  private final byte[] encoded;

  private RunEntry(byte[] encoded) {
    this.encoded = encoded;
  }

  /** An entry from bytes that {@link RunFormat} has validated; they must not be changed. */
  public static RunEntry ofEncoded(byte[] encoded) {
    return new RunEntry(encoded);
  }

  /** The object's id. */
  public Bytes id() {
    return Bytes.wrap(RunFormat.id(encoded));
  }

  /** The number of the object's type; a deleted object keeps it. */
  public long typeId() {
    return RunFormat.typeId(encoded);
  }

  /** The commit time of the last local transaction in the state. */
  public long lastCommitTime() {
    return RunFormat.lastCommitTime(encoded);
  }

  /** Whether the object has no state at this checkpoint, though it may have had one before. */
  public boolean isDeleted() {
    return RunFormat.isDeleted(encoded);
  }

  /** The bytes of the state; empty if the object is deleted. */
  public byte[] state() {
    return RunFormat.state(encoded);
  }

  /** The entry encoded in {@link RunFormat}; must not be changed. */
  public byte[] encoded() {
    return encoded;
  }

  @Override
  public String toString() {
    return id() + (isDeleted() ? " deleted" : " with " + state().length + " bytes");
  }
}
