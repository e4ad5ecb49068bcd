package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.CheckpointFiles;
import io.github.stablecut.checkpoint.CorruptCheckpointException;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.Manifest;
import io.github.stablecut.checkpoint.ManifestFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * The newest usable manifest in the directory of a store, as {@link CheckpointFiles} defines it,
 * and its files. Immutable. The search changes nothing.
 *
 * @param manifest the usable manifest
 * @param runs its runs, open, oldest first
 * @param histories its history files, open, oldest first
 * @param lastNumber at or above the number of every manifest that exists or existed
 * @param problems why newer manifests, or the one that CURRENT names, are unusable; normally empty
 */
public record RecoveredManifest(
    Manifest manifest,
    List<RunFile> runs,
    List<RunFile> histories,
    long lastNumber,
    List<String> problems) {
  /** Copies the lists. */
  public RecoveredManifest {
    runs = List.copyOf(runs);
    histories = List.copyOf(histories);
    problems = List.copyOf(problems);
  }

  /**
   * Finds the newest usable manifest.
   *
   * @param firstJournalSegment the first segment of the journal; 1 if it has none
   * @param hashSeeds supplies the seed of a new store
   * @throws CorruptCheckpointException if no manifest is usable; its message states what is wrong
   *     with each
   * @throws io.github.stablecut.checkpoint.CheckpointVersionException if a newer program wrote the
   *     newest manifest
   */
  public static RecoveredManifest choose(
      Directory directory, int firstJournalSegment, LongSupplier hashSeeds) throws IOException {
    return new Search(directory, firstJournalSegment).run(Manifest.empty(hashSeeds.getAsLong()));
  }

  /** The search for the newest usable manifest. Used once. */
  private static final class Search {
    private final Directory directory;
    private final int firstJournalSegment;
    private final List<String> problems = new ArrayList<>();

    Search(Directory directory, int firstJournalSegment) {
      this.directory = directory;
      this.firstJournalSegment = firstJournalSegment;
    }

    RecoveredManifest run(Manifest empty) throws IOException {
      List<Long> numbers = manifestNumbers();
      boolean hasCurrent = directory.list().contains(CheckpointFiles.CURRENT);
      OptionalLong current = hasCurrent ? readCurrent() : OptionalLong.empty();
      long lastNumber = Math.max(numbers.isEmpty() ? 0 : numbers.get(0), current.orElse(0));
      if (current.isPresent()) {
        numbers.removeIf(number -> number > current.getAsLong());
        if (!numbers.contains(current.getAsLong())) {
          problems.add(
              directory.pathOf(CheckpointFiles.manifest(current.getAsLong())) + ": it is missing");
        }
      }
      for (long number : numbers) {
        try {
          RecoveredManifest opening = open(read(number), lastNumber);
          return hasCurrent ? opening : opening.withoutCurrent(directory);
        } catch (CorruptCheckpointException e) {
          problems.add(e.getMessage());
        }
      }
      try {
        RecoveredManifest opening = open(empty, lastNumber);
        return hasCurrent ? opening : opening.withoutCurrent(directory);
      } catch (CorruptCheckpointException e) {
        problems.add(e.getMessage());
        throw new CorruptCheckpointException(String.join("; ", problems));
      }
    }

    /** The numbers of the existing manifests, newest first. */
    private List<Long> manifestNumbers() throws IOException {
      List<Long> numbers = new ArrayList<>();
      for (String name : directory.list()) {
        CheckpointFiles.manifestNumber(name).ifPresent(numbers::add);
      }
      numbers.sort(Comparator.reverseOrder());
      return numbers;
    }

    /** The number of the manifest that CURRENT names; empty if it is damaged. */
    private OptionalLong readCurrent() throws IOException {
      byte[] content = directory.read(CheckpointFiles.CURRENT, ManifestFormat.MAX_BYTES);
      OptionalLong number = CheckpointFiles.manifestOf(content);
      if (number.isEmpty()) {
        problems.add(directory.pathOf(CheckpointFiles.CURRENT) + ": its checksum is wrong");
      }
      return number;
    }

    private Manifest read(long number) throws IOException {
      String name = CheckpointFiles.manifest(number);
      String path = directory.pathOf(name);
      Manifest manifest =
          ManifestFormat.decode(directory.read(name, ManifestFormat.MAX_BYTES), path);
      if (manifest.number() != number) {
        throw Damage.of(path, "it contains number " + manifest.number());
      }
      return manifest;
    }

    private RecoveredManifest open(Manifest manifest, long lastNumber) throws IOException {
      if (firstJournalSegment > manifest.firstSegment()) {
        throw Damage.of(
            directory.pathOf(CheckpointFiles.manifest(manifest.number())),
            "it needs the journal from segment %d on, but the journal begins at %d"
                .formatted(manifest.firstSegment(), firstJournalSegment));
      }
      List<RunFile> opened = new ArrayList<>();
      try {
        for (ManifestFile file : manifest.files()) {
          opened.add(RunFile.open(directory, file));
        }
      } catch (IOException | RuntimeException | Error e) {
        opened.forEach(RunFile::close);
        throw e;
      }
      int runs = manifest.runs().size();
      return new RecoveredManifest(
          manifest,
          opened.subList(0, runs),
          opened.subList(runs, opened.size()),
          lastNumber,
          problems);
    }
  }

  /**
   * This manifest, found without a CURRENT. If it names no files either, the store was never
   * started: any manifests are left from attempts that crashed.
   */
  private RecoveredManifest withoutCurrent(Directory directory) {
    List<String> all = new ArrayList<>();
    if (!manifest.files().isEmpty()) {
      all.add(directory.pathOf(CheckpointFiles.CURRENT) + ": it is missing");
      all.addAll(problems);
    }
    return new RecoveredManifest(manifest, runs, histories, lastNumber, all);
  }
}
