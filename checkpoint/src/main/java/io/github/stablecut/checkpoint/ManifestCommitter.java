package io.github.stablecut.checkpoint;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.checkpoint.internal.IdHash;
import io.github.stablecut.checkpoint.internal.ManifestFormat;
import io.github.stablecut.checkpoint.internal.ManifestSwitch;
import io.github.stablecut.checkpoint.internal.ObsoleteFiles;
import io.github.stablecut.checkpoint.internal.RecoveredManifest;
import io.github.stablecut.checkpoint.internal.RunFile;
import io.github.stablecut.error.IoReason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Commits the manifests of a store: makes changes durable, one after the other, and publishes their
 * views. Thread-safe; opening a view takes no lock.
 *
 * <p>Invariant: every file named by a manifest that may be current exists and is complete. A file
 * is therefore named only after it was forced, and deleted only after a manifest without it is
 * durable.
 */
final class ManifestCommitter {
  private final Directory directory;
  private final IdHash hash;
  private final long epoch;
  private final ObsoleteFiles leftovers;
  private volatile CheckpointView current;
  private volatile boolean isClosed;

  @GuardedBy("this")
  private long lastNumber;

  /** The number of the previous manifest, which is kept. */
  @GuardedBy("this")
  private long previousNumber;

  /** The names of complete files that no change has added yet. */
  @GuardedBy("this")
  private final Set<String> unnamed = new HashSet<>();

  @GuardedBy("this")
  private boolean isStarted;

  /** The reason why nothing can be written until the next opening. Written under the lock. */
  private volatile @Nullable CheckpointFailedException failure;

  ManifestCommitter(
      Directory directory, IdHash hash, RecoveredManifest opening, ObsoleteFiles leftovers) {
    this.directory = directory;
    this.hash = hash;
    this.leftovers = leftovers;
    Manifest manifest = opening.manifest();
    // No epoch exceeds its manifest's number, so this one is new even if a manifest is unreadable.
    this.epoch = opening.lastNumber() + 1;
    this.lastNumber = opening.lastNumber();
    this.current = new CheckpointView(manifest, hash, opening.runs(), opening.histories());
  }

  long epoch() {
    return epoch;
  }

  /** The current view, with one more user. */
  CheckpointView view() {
    while (true) {
      CheckpointView view = current;
      if (view.retain()) {
        return view;
      }
      requireOpen();
    }
  }

  /**
   * Commits the first change of this opening, then deletes files that are not part of the store.
   */
  synchronized Manifest start(Consumer<ManifestChange> change) {
    if (isStarted) {
      throw new IllegalStateException("the store was started before");
    }
    previousNumber = current.manifest().number();
    Manifest manifest = change(change);
    isStarted = true;
    sweep(manifest);
    return manifest;
  }

  @GuardedBy("this")
  private void sweep(Manifest manifest) {
    try {
      for (String name : directory.list()) {
        boolean isNeeded =
            name.equals(CheckpointFiles.CURRENT)
                || name.equals(CheckpointFiles.manifest(manifest.number()))
                || name.equals(CheckpointFiles.manifest(previousNumber))
                || manifest.names(name);
        if (CheckpointFiles.isOurs(name) && !isNeeded) {
          leftovers.add(name);
        }
      }
    } catch (IOException e) {
      // The next open finds the rest.
    }
    leftovers.delete();
  }

  /** Commits a later change, then deletes the files that it made obsolete. */
  @CanIgnoreReturnValue
  synchronized Manifest commit(Consumer<ManifestChange> change) {
    requireWritable();
    long before = current.manifest().number();
    Manifest manifest = change(change);
    leftovers.add(CheckpointFiles.manifest(previousNumber));
    previousNumber = before;
    leftovers.delete();
    return manifest;
  }

  /** Holds a complete file, which {@link #release} drops unless a change adds it first. */
  synchronized void hold(ManifestFile file) {
    unnamed.add(file.name());
  }

  /** Drops a held file, unless a change added it or may have added it. */
  synchronized void release(ManifestFile file) {
    if (unnamed.remove(file.name()) && failure == null) {
      leftovers.add(file.name());
      leftovers.delete();
    }
  }

  /** Replaces merged runs with their result, unless the low watermark now splits them. */
  synchronized void replace(List<ManifestFile> merged, ManifestFile by) {
    if (!ManifestChange.splits(current.manifest().lowWatermark(), merged)) {
      commit(change -> change.replaceRuns(merged, by));
    }
  }

  synchronized void requireWritable() {
    requireUsable();
    if (!isStarted) {
      throw new IllegalStateException("the store was not started");
    }
  }

  @GuardedBy("this")
  private void requireUsable() {
    requireOpen();
    CheckpointFailedException earlier = failure;
    if (earlier != null) {
      throw new CheckpointFailedException(
          "nothing can be written after an earlier failure: " + earlier.getMessage(), earlier);
    }
  }

  /**
   * Returns the reason why nothing can be written until the next opening; empty if it can. Never
   * blocks.
   */
  Optional<String> failure() {
    return Optional.ofNullable(failure).map(Throwable::getMessage);
  }

  void requireOpen() {
    if (isClosed) {
      throw new CheckpointsClosedException("the checkpoints are closed: open them again");
    }
  }

  @GuardedBy("this")
  private Manifest change(Consumer<ManifestChange> change) {
    requireUsable();
    CheckpointView old = current;
    ManifestChange nextChange = new ManifestChange(old.manifest());
    change.accept(nextChange);
    lastNumber++;
    Manifest manifest = nextChange.build(lastNumber, epoch);
    byte[] content = ManifestFormat.encode(manifest);
    CheckpointView next = open(manifest, old);
    try {
      ManifestSwitch.prepare(directory, manifest.number(), content);
    } catch (IOException e) {
      abandon(next, old);
      throw CheckpointDroppedException.because(e);
    } catch (RuntimeException | Error e) {
      abandon(next, old);
      throw e;
    }
    CheckpointFailedException unknown = unknown(manifest);
    boolean isPublished = false;
    try {
      ManifestSwitch.complete(directory);
      manifest.files().forEach(file -> unnamed.remove(file.name()));
      current = next;
      isPublished = true;
    } catch (IOException e) {
      throw failed(manifest, e);
    } finally {
      // Also after an error: files of either manifest may be needed until the next open.
      if (!isPublished) {
        failure = failure == null ? unknown : failure;
        next.close();
      }
    }
    leave(old, manifest);
    return manifest;
  }

  @GuardedBy("this")
  private void abandon(CheckpointView next, CheckpointView old) {
    next.close();
    ManifestSwitch.abandon(directory);
    drop(next.manifest(), old.manifest());
  }

  /** Opens the view of a manifest, sharing files with the old view. */
  @GuardedBy("this")
  private CheckpointView open(Manifest manifest, CheckpointView old) {
    Map<ManifestFile, RunFile> files = new HashMap<>();
    old.files().forEach(file -> files.put(file.name(), file));
    List<RunFile> all = new ArrayList<>();
    try {
      for (ManifestFile file : manifest.files()) {
        RunFile known = files.get(file);
        all.add(known == null ? RunFile.open(directory, file) : known);
      }
      int runs = manifest.runs().size();
      return new CheckpointView(
          manifest, hash, all.subList(0, runs), all.subList(runs, all.size()));
    } catch (IOException e) {
      closeNew(all, old);
      drop(manifest, old.manifest());
      throw CheckpointDroppedException.because(e);
    } catch (RuntimeException | Error e) {
      closeNew(all, old);
      throw e;
    }
  }

  private static void closeNew(List<RunFile> opened, CheckpointView old) {
    for (RunFile file : opened) {
      if (!old.files().contains(file)) {
        file.close();
      }
    }
  }

  @GuardedBy("this")
  private void drop(Manifest dropped, Manifest kept) {
    leftovers.add(CheckpointFiles.manifest(dropped.number()));
    for (ManifestFile file : dropped.files()) {
      if (!kept.names(file.name())) {
        unnamed.remove(file.name());
        leftovers.add(file.name());
      }
    }
    leftovers.delete();
  }

  @GuardedBy("this")
  private CheckpointFailedException failed(Manifest manifest, IOException cause) {
    String path = directory.pathOf(CheckpointFiles.manifest(manifest.number()));
    CheckpointFailedException first =
        new CheckpointFailedException(
            "the switch to %s failed; fix the disk and reopen the store: %s"
                .formatted(path, IoReason.of(cause)),
            cause);
    failure = first;
    return first;
  }

  /** Created in advance, in case there is no memory later. */
  private CheckpointFailedException unknown(Manifest manifest) {
    return new CheckpointFailedException(
        "the switch to %s was interrupted by an error; reopen the store"
            .formatted(directory.pathOf(CheckpointFiles.manifest(manifest.number()))),
        null);
  }

  /** Releases the previous view, and marks files that the manifest doesn't name as obsolete. */
  private void leave(CheckpointView old, Manifest manifest) {
    try {
      for (RunFile file : old.files()) {
        if (!manifest.names(file.name().name())) {
          leftovers.add(file);
        }
      }
    } finally {
      old.close();
    }
  }

  synchronized void close() {
    if (!isClosed) {
      isClosed = true;
      current.close();
    }
  }
}
