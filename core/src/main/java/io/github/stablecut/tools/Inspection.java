package io.github.stablecut.tools;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.EntryScan;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.checkpoint.Manifest;
import io.github.stablecut.checkpoint.ManifestFile;
import io.github.stablecut.checkpoint.View;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.record.ClockRecord;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.internal.recovery.ClosedStore;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.journal.ClosedJournal;
import io.github.stablecut.journal.StoredRecord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Says what a closed store consists of; reads its journal and the entries of its newest checkpoint.
 * Changes nothing. Confined to one thread.
 */
public final class Inspection {
  private final ClosedStore store;
  private final ClosedFiles files;
  private final ToolProgress progress;
  private final Findings findings = new Findings();
  private final Set<Bytes> changed = new HashSet<>();
  private VectorClock checkpointTime = VectorClock.ZERO;
  private VectorClock newest = VectorClock.ZERO;
  private long ceiling;
  private long transactions;
  private long effects;

  private Inspection(ClosedStore store, ToolProgress progress) {
    this.store = store;
    this.files = ClosedFiles.of(store);
    this.progress = progress;
  }

  /**
   * Looks at the store in a directory.
   *
   * @throws io.github.stablecut.NotAStoreException if there is none
   * @throws io.github.stablecut.StoreInUseException if somebody has it open
   * @throws io.github.stablecut.error.DamageException if so much is damaged that nothing can be
   *     said
   */
  public static StoreFacts of(Path directory, ToolProgress progress) {
    try (ClosedStore store = ClosedStore.open(directory)) {
      return new Inspection(store, progress).run();
    }
  }

  private StoreFacts run() {
    StoreIdentity identity = store.identity();
    try (CheckpointStore checkpoints = files.openCheckpoints();
        View view = checkpoints.view()) {
      checkpoints.status().problems().forEach(findings::note);
      Manifest manifest = view.manifest();
      checkpointTime = manifest.checkpointTime();
      newest = checkpointTime;
      ceiling = manifest.clockCeiling();
      ClosedJournal.Summary journal =
          files.readJournal(this::add, findings, progress, "reading the journal");
      findings.damages().forEach(findings::note);
      return new StoreFacts(
          identity.id(),
          identity.restoredFrom(),
          identity.partitions(),
          new StoreFacts.Times(
              manifest.lowWatermark(), checkpointTime, newest, newest, newest, ceiling),
          journal(journal, manifest),
          checkpoints(view, checkpoints.status().entries()),
          findings.notes());
    }
  }

  private void add(StoredRecord stored) {
    if (stored.kind() == RecordKind.CLOCK) {
      ceiling = Math.max(ceiling, ClockRecord.read(stored.body(), stored.position()));
    } else if (stored.kind() == RecordKind.TRANSACTION) {
      Commit commit =
          TransactionRecord.read(
              stored.body(),
              stored.position(),
              (of, ordinal, id, effect) -> {
                effects++;
                if (!of.isVisibleAt(checkpointTime)) {
                  var unused = changed.add(id);
                }
              });
      transactions++;
      newest = newest.join(commit.vector());
    }
  }

  private StoreFacts.Journal journal(ClosedJournal.Summary summary, Manifest manifest) {
    return new StoreFacts.Journal(
        summary.epoch(),
        summary.lastSequence(),
        manifest.firstSegment(),
        transactions,
        effects,
        changed.size(),
        files.segments().stream()
            .map(segment -> new StoreFacts.StoreFile(segment.file(), segment.bytes()))
            .toList());
  }

  private StoreFacts.Checkpoints checkpoints(View view, List<Long> entries) {
    Manifest manifest = view.manifest();
    List<StoreFacts.Run> runs = new ArrayList<>();
    for (ManifestFile run : manifest.runs()) {
      runs.add(run(run, OptionalLong.of(entries.get(runs.size()))));
    }
    return new StoreFacts.Checkpoints(
        manifest.number(),
        objects(view),
        runs,
        manifest.histories().stream().map(file -> run(file, OptionalLong.empty())).toList());
  }

  private StoreFacts.Run run(ManifestFile file, OptionalLong entries) {
    Path path = store.checkpoints().resolve(file.name());
    return new StoreFacts.Run(new StoreFacts.StoreFile(path, file.bytes()), file.at(), entries);
  }

  private static long objects(View view) {
    long objects = 0;
    try (EntryScan scan = view.scan(IdRange.all(), view.manifest().checkpointTime())) {
      while (scan.next().isPresent()) {
        objects++;
      }
    }
    return objects;
  }
}
