package io.github.stablecut.tools;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointStatus;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.EntryScan;
import io.github.stablecut.checkpoint.Manifest;
import io.github.stablecut.checkpoint.ManifestFile;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.internal.paging.PageIds;
import io.github.stablecut.internal.record.ClockRecord;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.journal.ClosedJournal;
import io.github.stablecut.journal.segment.StoredRecord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

/** Describes a partition of a closed store. Confined to one thread. */
final class PartitionInspection {
  private final int number;
  private final ClosedPartition files;
  private final UnaryOperator<Path> named;
  private final VerificationFindings findings;
  private final ToolProgress progress;
  private VectorClock checkpointTime = VectorClock.ZERO;
  private VectorClock newest = VectorClock.ZERO;
  private long ceiling;
  private long records;
  private long transactions;
  private long effects;
  private long effectsSinceCheckpoint;

  /**
   * @param named maps a file to the path in the description
   */
  PartitionInspection(
      int number,
      ClosedPartition files,
      UnaryOperator<Path> named,
      VerificationFindings findings,
      ToolProgress progress) {
    this.number = number;
    this.files = files;
    this.named = named;
    this.findings = findings;
    this.progress = progress;
  }

  StoreDescription.Partition run() {
    try (CheckpointStore checkpoints = files.openCheckpoints();
        CheckpointView view = checkpoints.view()) {
      CheckpointStatus status = checkpoints.status();
      status.problems().forEach(findings::note);
      Manifest manifest = view.manifest();
      checkpointTime = manifest.checkpointTime();
      newest = checkpointTime;
      ceiling = manifest.clockCeiling();
      ClosedJournal.Summary summary =
          files.readJournal(this::add, findings, progress, "reading the journal");
      return new StoreDescription.Partition(
          number,
          new StoreDescription.Times(
              manifest.lowWatermark(), checkpointTime, newest, newest, newest, ceiling),
          journal(summary, manifest),
          checkpoints(view, status));
    }
  }

  private void add(StoredRecord stored) {
    records++;
    try {
      if (stored.kind() == RecordKind.CLOCK) {
        long read = ClockRecord.read(stored.body(), stored.position());
        ceiling = ClockRecord.isLast(stored.body()) ? read : Math.max(ceiling, read);
      } else if (stored.kind() == RecordKind.TRANSACTION) {
        addTransaction(stored);
      }
    } catch (FormatException e) {
      findings.add(files.nameOf(stored.position()) + ": " + e.getMessage());
    }
  }

  private void addTransaction(StoredRecord stored) {
    Commit commit =
        TransactionRecord.read(
            stored.body(),
            stored.position(),
            (of, ordinal, id, effect) -> {
              effects++;
              effectsSinceCheckpoint += of.isVisibleAt(checkpointTime) ? 0 : 1;
            });
    transactions++;
    newest = newest.join(commit.vector());
  }

  private StoreDescription.Journal journal(ClosedJournal.Summary summary, Manifest manifest) {
    return new StoreDescription.Journal(
        summary.epoch(),
        summary.lastRecord(),
        manifest.firstSegment(),
        new StoreDescription.Content(records, transactions, effects, effectsSinceCheckpoint),
        files.segments().stream()
            .map(
                segment ->
                    new StoreDescription.StoreFile(named.apply(segment.file()), segment.bytes()))
            .toList());
  }

  private StoreDescription.Checkpoints checkpoints(CheckpointView view, CheckpointStatus status) {
    Manifest manifest = view.manifest();
    List<StoreDescription.Run> runs = new ArrayList<>();
    for (ManifestFile run : manifest.runs()) {
      runs.add(run(run, OptionalLong.of(status.entries().get(runs.size()))));
    }
    return new StoreDescription.Checkpoints(
        manifest.number(),
        objects(view, status),
        runs,
        manifest.histories().stream().map(file -> run(file, OptionalLong.empty())).toList());
  }

  private StoreDescription.Run run(ManifestFile file, OptionalLong entries) {
    StoreDescription.StoreFile where =
        new StoreDescription.StoreFile(
            named.apply(files.checkpointFile(file.name())), file.bytes());
    return new StoreDescription.Run(where, file.at(), entries);
  }

  private long objects(CheckpointView view, CheckpointStatus status) {
    long entries = status.entries().stream().mapToLong(Long::longValue).sum();
    long bytesPerEntry = status.bytes() / Math.max(1, entries);
    long objects = 0;
    try (EntryScan scan = view.scan(PageIds.OBJECTS, view.manifest().checkpointTime())) {
      while (scan.next().isPresent()) {
        objects++;
        progress.update("reading the newest checkpoint", objects * bytesPerEntry, status.bytes());
      }
    }
    return objects;
  }
}
