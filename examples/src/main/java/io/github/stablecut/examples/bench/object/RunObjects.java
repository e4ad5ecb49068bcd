package io.github.stablecut.examples.bench.object;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.CheckpointOptions;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.DiskDirectory;
import io.github.stablecut.checkpoint.EntryScan;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.checkpoint.ManifestFile;
import io.github.stablecut.checkpoint.RunEntry;
import io.github.stablecut.checkpoint.RunWriter;
import io.github.stablecut.crdt.Bytes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Objects in one run of a checkpoint store. */
public final class RunObjects implements ObjectTarget {
  private static final VectorClock AT = LocalDataCentre.FIRST.at(1);
  private static final long TYPE = 1;

  private final Path directory;
  private @Nullable CheckpointStore store;

  public RunObjects(Path directory) {
    this.directory = directory;
  }

  @Override
  public void load(SampleObjects objects) throws IOException {
    try (CheckpointStore writable = openStore()) {
      writable.start(change -> {});
      try (RunWriter writer = writable.beginRun(Checkpoint.of(AT, 1), new byte[0])) {
        for (long i = 0; i < objects.count(); i++) {
          writer.put(Bytes.wrap(objects.id(i)), TYPE, 1, objects.state(i));
        }
        ManifestFile run = writer.finish();
        writable.commit(change -> change.addRun(run));
      }
    }
  }

  private CheckpointStore openStore() throws IOException {
    return CheckpointStore.open(DiskDirectory.open(directory), CheckpointOptions.DEFAULTS, 1);
  }

  @Override
  public void open() throws IOException {
    store = openStore();
  }

  private CheckpointView view() {
    CheckpointStore open = store;
    if (open == null) {
      throw new IllegalStateException("not open");
    }
    return open.view();
  }

  @Override
  public int find(byte[] id) {
    try (CheckpointView view = view()) {
      Optional<RunEntry> entry = view.find(Bytes.wrap(id), AT);
      return entry.isPresent() ? entry.get().state().length : -1;
    }
  }

  @Override
  public long scan() {
    long count = 0;
    long bytes = 0;
    try (CheckpointView view = view();
        EntryScan scan = view.scan(IdRange.all(), AT)) {
      for (Optional<RunEntry> next = scan.next(); next.isPresent(); next = scan.next()) {
        count++;
        bytes += next.get().id().length() + next.get().state().length;
      }
    }
    return bytes > 0 ? count : 0;
  }

  @Override
  public void close() {
    CheckpointStore open = store;
    if (open != null) {
      open.close();
      store = null;
    }
  }
}
