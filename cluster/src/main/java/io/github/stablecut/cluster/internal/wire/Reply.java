package io.github.stablecut.cluster.internal.wire;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.ObjectScan;
import io.github.stablecut.internal.recovery.PartitionImage.CopiedFile;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the owner of a partition answers. Immutable. */
public sealed interface Reply {
  /** About what its bytes are, if they may be many. */
  default long largeBytes() {
    return 0;
  }

  /** It is done. */
  record Done() implements Reply {}

  /** A vector. */
  record At(VectorClock vector) implements Reply {}

  /** Something has changed meanwhile; nothing was done. */
  record Changed() implements Reply {}

  /**
   * What an object was.
   *
   * @param frontier at which its state may have been pruned
   */
  record Found(Optional<Version> version, VectorClock frontier) implements Reply {
    @Override
    public long largeBytes() {
      return version.map(Version::bytes).orElse(0);
    }
  }

  /**
   * What objects are; as {@link io.github.stablecut.internal.partition.ConditionalWrites.Latest}.
   *
   * @param epoch the partition's
   * @param frontier at which the states may have been pruned
   */
  record Latest(
      long epoch,
      VectorClock at,
      VectorClock frontier,
      Map<Bytes, Version> versions,
      Map<Bytes, Long> seen)
      implements Reply {
    @Override
    public long largeBytes() {
      return versions.values().stream().mapToLong(Version::bytes).sum();
    }
  }

  /**
   * Some objects of a range.
   *
   * @param next where the rest begins; empty if there is none
   */
  record Page(List<ObjectScan.Found> found, Optional<Bytes> next) implements Reply {
    @Override
    public long largeBytes() {
      return found.stream().mapToLong(one -> one.version().bytes()).sum();
    }
  }

  /**
   * The files of a partition.
   *
   * @param storeId whose partition it is
   */
  record Files(long storeId, List<CopiedFile> files) implements Reply {
    /** Copies the list. */
    public Files {
      files = List.copyOf(files);
    }
  }

  /**
   * Some bytes of a file.
   *
   * @param checksum their CRC32C, as they were read
   */
  record FilePart(Bytes bytes, long checksum) implements Reply {}

  /** The partition was given away, for good. */
  record Given(long epoch) implements Reply {}

  /**
   * The partition is being moved to this node.
   *
   * @param move a number that no other move has
   */
  record Begun(long move) implements Reply {}

  /** It can't be done. */
  record Failed(StablecutException failure) implements Reply {}

  /** There is no memory for the request or its answer now; nothing was done. */
  record Busy(String why) implements Reply {}

  /**
   * The request was for another epoch of the partition; nothing was done.
   *
   * @param epoch the epoch here; 0 if the partition is not here
   */
  record Stale(long epoch) implements Reply {}
}
