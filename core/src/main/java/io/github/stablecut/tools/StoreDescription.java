package io.github.stablecut.tools;

import io.github.stablecut.causality.VectorClock;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a closed store consists of. Immutable.
 *
 * @param storeId which store it is
 * @param restoredFrom the store whose backup it was made from; empty if from none
 * @param node the node of a cluster whose directory it is; empty for a store of its own
 * @param formats the formats of its files
 * @param partitions those that are here, ascending
 * @param findings what is wrong or worth knowing; none as a rule
 */
public record StoreDescription(
    long storeId,
    OptionalLong restoredFrom,
    Optional<String> node,
    Formats formats,
    List<Partition> partitions,
    List<String> findings) {
  /** Copies. */
  public StoreDescription {
    partitions = List.copyOf(partitions);
    findings = List.copyOf(findings);
  }

  /**
   * The newest formats that the files may have: what is newer is refused.
   *
   * @param store of the file that says which store it is
   * @param journal of segments
   * @param checkpoints of manifests and runs
   */
  public record Formats(int store, int journal, int checkpoints) {}

  /**
   * A partition.
   *
   * @param number in the store, from 0 on
   * @param times the times that say what may be read and what may be forgotten
   * @param journal its journal
   * @param checkpoints its checkpoints
   */
  public record Partition(int number, Times times, Journal journal, Checkpoints checkpoints) {}

  /**
   * The five times of the report, section 2.7.2, of a store in which no transaction is open, and
   * the clock's ceiling.
   *
   * @param lowWatermark the oldest point that may be read
   * @param checkpointTime the point of the newest checkpoint
   * @param causalSafePoint the newest commit
   * @param minDependency the oldest point that somebody needs: the newest commit, as nobody does
   * @param maxCommitted the newest commit
   * @param clockCeiling no time at or above it was ever told
   */
  public record Times(
      VectorClock lowWatermark,
      VectorClock checkpointTime,
      VectorClock causalSafePoint,
      VectorClock minDependency,
      VectorClock maxCommitted,
      long clockCeiling) {}

  /**
   * A journal.
   *
   * @param epoch how often it was opened
   * @param lastRecord the number of its last record, which counts those that were dropped too
   * @param firstSegment the oldest segment that is still needed
   * @param content what is in it
   * @param segments its files, oldest first
   */
  public record Journal(
      long epoch, long lastRecord, int firstSegment, Content content, List<StoreFile> segments) {
    /** Copies. */
    public Journal {
      segments = List.copyOf(segments);
    }
  }

  /**
   * What is in a journal.
   *
   * @param records all records
   * @param transactions the committed transactions among them
   * @param effects the effects of those
   * @param effectsSinceCheckpoint the effects that the newest checkpoint has not
   */
  public record Content(
      long records, long transactions, long effects, long effectsSinceCheckpoint) {}

  /**
   * Checkpoints.
   *
   * @param manifest the number of changes
   * @param objects objects that have a state in the newest one
   * @param runs oldest first
   * @param histories oldest first
   */
  public record Checkpoints(long manifest, long objects, List<Run> runs, List<Run> histories) {
    /** Copies. */
    public Checkpoints {
      runs = List.copyOf(runs);
      histories = List.copyOf(histories);
    }
  }

  /**
   * A run or a history file.
   *
   * @param at the point that its checkpoint is complete at
   * @param entries how many there are; empty of a history file
   */
  public record Run(StoreFile file, VectorClock at, OptionalLong entries) {}

  /**
   * A file.
   *
   * @param bytes its length, which is more than it takes on the disk if it has holes
   */
  public record StoreFile(Path path, long bytes) {}
}
