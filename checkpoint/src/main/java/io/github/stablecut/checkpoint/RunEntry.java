package io.github.stablecut.checkpoint;

import io.github.stablecut.checkpoint.internal.RunFormat;
import io.github.stablecut.crdt.Bytes;

/**
 * An object as one checkpoint has it: a state, or the word that there is none. Immutable; holds the
 * bytes that were read, whose checksum was right.
 */
public final class RunEntry {
  private final byte[] encoded;

  private RunEntry(byte[] encoded) {
    this.encoded = encoded;
  }

  /** The entry of some bytes that {@link RunFormat} has found to be one; nobody may change them. */
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

  /** The commit time of the last transaction here that is in the state. */
  public long lastCommitTime() {
    return RunFormat.lastCommitTime(encoded);
  }

  /** Whether the object has no state at this checkpoint, though it may have had one before. */
  public boolean isDeleted() {
    return RunFormat.isDeleted(encoded);
  }

  /** The state's bytes, as they were handed over; none if the object is deleted. */
  public byte[] state() {
    return RunFormat.state(encoded);
  }

  /** The whole entry, as {@link RunFormat} has it; not to be changed. */
  public byte[] encoded() {
    return encoded;
  }

  @Override
  public String toString() {
    return id() + (isDeleted() ? " deleted" : " with " + state().length + " bytes");
  }
}
