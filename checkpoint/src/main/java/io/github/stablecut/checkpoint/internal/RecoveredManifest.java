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
 * What was found in the directory of a store: the newest manifest that is usable, as {@link
 * CheckpointFiles} defines it, and its files. Immutable. Finding it changes nothing.
 *
 * @param manifest the one that counts
 * @param runs its runs, open, oldest first
 * @param histories its history files, open, oldest first
 * @param lastNumber at or above the number of each manifest that exists or existed
 * @param problems why newer manifests, or the one that CURRENT names, don't count; empty as a rule
 */
public record RecoveredManifest(
    Manifest manifest,
    List<RunFile> runs,
    List<RunFile> histories,
    long lastNumber,
    List<String> problems) {
  /** Copies. */
  public RecoveredManifest {
    runs = List.copyOf(runs);
    histories = List.copyOf(histories);
    problems = List.copyOf(problems);
  }

  /**
   * Chooses.
   *
   * @param firstJournalSegment the first segment that the journal has; 1 if it has none
   * @param hashSeeds gives the seed if there is no store yet
   * @throws CorruptCheckpointException if no manifest is usable; says what is wrong with each
   * @throws io.github.stablecut.checkpoint.CheckpointVersionException if a newer program wrote what
   *     counts
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

    /** The numbers of the manifests that there are, newest first. */
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
        throw Damage.of(path, "it says that it is number " + manifest.number());
      }
      return manifest;
    }

    private RecoveredManifest open(Manifest manifest, long lastNumber) throws IOException {
      if (firstJournalSegment > manifest.firstSegment()) {
        throw Damage.of(
            directory.pathOf(CheckpointFiles.manifest(manifest.number())),
            "it needs the journal from segment %d on, which begins at %d"
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
   * This, where there is no CURRENT. If there are no files either, the store was never started:
   * what manifests there are is what a crash left of attempts to.
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
