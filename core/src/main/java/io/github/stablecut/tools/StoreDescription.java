package io.github.stablecut.tools;

import io.github.stablecut.causality.VectorClock;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The contents of a closed store. Immutable.
 *
 * @param storeId the id of the store
 * @param restoredFrom the store from whose backup it was restored; empty for others
 * @param node the node whose directory it is; empty for an embedded store
 * @param formats the formats of its files
 * @param partitions the partitions in this directory, ascending
 * @param findings damage and other notable findings; normally none
 */
public record StoreDescription(
    long storeId,
    OptionalLong restoredFrom,
    Optional<String> node,
    Formats formats,
    List<Partition> partitions,
    List<String> findings) {
  /** Copies the lists. */
  public StoreDescription {
    partitions = List.copyOf(partitions);
    findings = List.copyOf(findings);
  }

  /**
   * The newest supported formats of files; newer ones are refused.
   *
   * @param store the format of the file that identifies the store
   * @param journal the format of segments
   * @param checkpoints the format of manifests and runs
   */
  public record Formats(int store, int journal, int checkpoints) {}

  /**
   * A partition.
   *
   * @param number its number, from 0
   * @param times the times that bound reads and truncation
   * @param journal its journal
   * @param checkpoints its checkpoints
   */
  public record Partition(int number, Times times, Journal journal, Checkpoints checkpoints) {}

  /**
   * The five times of the report, section 2.7.2, of a store without open transactions, and the
   * clock ceiling.
   *
   * @param lowWatermark the oldest readable point
   * @param checkpointTime the point of the newest checkpoint
   * @param causalSafePoint the newest commit
   * @param minDependency the newest commit, because no transaction needs an older point
   * @param maxCommitted the newest commit
   * @param clockCeiling no timestamp at or above it was ever issued
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
   * @param epoch how many times it was opened
   * @param lastRecord the number of its last record, which counts truncated records too
   * @param firstSegment the oldest segment that is still needed
   * @param content its content
   * @param segments its files, oldest first
   */
  public record Journal(
      long epoch, long lastRecord, int firstSegment, Content content, List<StoreFile> segments) {
    /** Copies the lists. */
    public Journal {
      segments = List.copyOf(segments);
    }
  }

  /**
   * The content of a journal.
   *
   * @param records the number of records
   * @param transactions the number of committed transactions among them
   * @param effects the number of effects of these transactions
   * @param effectsSinceCheckpoint the number of effects that are not in the newest checkpoint
   */
  public record Content(
      long records, long transactions, long effects, long effectsSinceCheckpoint) {}

  /**
   * The checkpoints.
   *
   * @param manifest the number of the manifest, which counts its changes
   * @param objects the number of objects with a state in the newest checkpoint
   * @param runs the runs, oldest first
   * @param histories the history files, oldest first
   */
  public record Checkpoints(long manifest, long objects, List<Run> runs, List<Run> histories) {
    /** Copies the lists. */
    public Checkpoints {
      runs = List.copyOf(runs);
      histories = List.copyOf(histories);
    }
  }

  /**
   * A run or a history file.
   *
   * @param at the point of its checkpoint
   * @param entries the number of entries; empty for a history file
   */
  public record Run(StoreFile file, VectorClock at, OptionalLong entries) {}

  /**
   * A file.
   *
   * @param bytes its length, which exceeds its disk space if the file has holes
   */
  public record StoreFile(Path path, long bytes) {}
}
