package io.github.stablecut.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.crdt.Bytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Helpers that write checkpoints of texts and read them back. */
final class Checkpoints {
  static final CheckpointOptions OPTIONS =
      CheckpointOptions.DEFAULTS.withReserveBytes(0).withHashSeeds(() -> 42);
  static final String DELETED = "\u0000deleted";
  static final long TYPE = 7;

  private Checkpoints() {}

  /** A store open for writing. */
  static CheckpointStore start(Directory directory) throws IOException {
    return start(directory, OPTIONS);
  }

  static CheckpointStore start(Directory directory, CheckpointOptions options) throws IOException {
    CheckpointStore store = CheckpointStore.open(directory, options, 1);
    store.start(change -> {});
    return store;
  }

  /** Writes a run of some objects; {@link #DELETED} stands for a deleted one. */
  static ManifestFile write(RunWriter writer, VectorClock at, SortedMap<Bytes, String> objects) {
    objects.forEach(
        (id, text) -> {
          if (text.equals(DELETED)) {
            writer.putDeleted(id, TYPE, at.max());
          } else {
            writer.put(id, TYPE, at.max(), text.getBytes(UTF_8));
          }
        });
    return writer.finish();
  }

  static RunWriter begin(CheckpointStore store, VectorClock at) {
    return store.beginRun(Checkpoint.of(at, at.max()), at.toString().getBytes(UTF_8));
  }

  /** Commits a checkpoint of alternating ids and texts. */
  static void checkpoint(CheckpointStore store, long at, String... idsAndTexts) {
    SortedMap<Bytes, String> objects = new TreeMap<>();
    for (int i = 0; i < idsAndTexts.length; i += 2) {
      objects.put(Bytes.utf8(idsAndTexts[i]), idsAndTexts[i + 1]);
    }
    checkpoint(store, VectorClock.of(at), objects);
  }

  static void checkpoint(CheckpointStore store, VectorClock at, SortedMap<Bytes, String> objects) {
    try (RunWriter writer = begin(store, at)) {
      ManifestFile run = write(writer, at, objects);
      store.commit(change -> change.addRun(run));
    }
  }

  /** The text of an id in a store, {@link #DELETED}, or empty. */
  static Optional<String> find(CheckpointStore store, String id, long snapshot) {
    try (CheckpointView view = store.view()) {
      return view.find(Bytes.utf8(id), VectorClock.of(snapshot)).map(Checkpoints::text);
    }
  }

  static String text(RunEntry entry) {
    return entry.isDeleted() ? DELETED : new String(entry.state(), UTF_8);
  }

  /** The results of a scan, checked to be the same in both directions. */
  static Map<Bytes, String> scan(CheckpointView view, IdRange range, VectorClock snapshot) {
    List<RunEntry> found = entries(view.scan(range, snapshot));
    List<RunEntry> backwards = entries(view.scan(range, snapshot, true));
    Collections.reverse(backwards);
    assertThat(backwards)
        .extracting(Checkpoints::text)
        .isEqualTo(found.stream().map(Checkpoints::text).toList());
    Map<Bytes, String> texts = new TreeMap<>();
    found.forEach(entry -> texts.put(entry.id(), text(entry)));
    return texts;
  }

  private static List<RunEntry> entries(EntryScan opened) {
    List<RunEntry> found = new ArrayList<>();
    try (EntryScan scan = opened) {
      for (Optional<RunEntry> next = scan.next(); next.isPresent(); next = scan.next()) {
        found.add(next.get());
      }
    }
    return found;
  }

  /** Asserts that every file in a directory is needed by its store. */
  static void assertNothingIsLeftOver(LossyDirectory directory, CheckpointStore store) {
    Manifest manifest = store.status().manifest();
    List<String> needed = new ArrayList<>(List.of(CheckpointFiles.CURRENT));
    manifest.files().forEach(file -> needed.add(file.name()));
    List<String> others = new ArrayList<>(directory.list());
    assertThat(others).containsAll(needed);
    others.removeAll(needed);
    assertThat(others)
        .allMatch(name -> CheckpointFiles.manifestNumber(name).isPresent())
        .contains(CheckpointFiles.manifest(manifest.number()))
        .hasSizeBetween(1, 2);
  }
}
