package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.CorruptCheckpointException;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.Layout;
import io.github.stablecut.checkpoint.Manifest;
import io.github.stablecut.checkpoint.ManifestFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * What was found in the directory of a store: the newest manifest that is usable, as {@link Layout}
 * defines it, and its files. Immutable. Finding it changes nothing.
 *
 * @param manifest the one that counts
 * @param runs its runs, open, oldest first
 * @param histories its history files, open, oldest first
 * @param lastNumber at or above the number of each manifest that exists or existed
 * @param problems why newer manifests, or the one that CURRENT names, don't count; empty as a rule
 */
public record Opening(
    Manifest manifest,
    List<RunFile> runs,
    List<RunFile> histories,
    long lastNumber,
    List<String> problems) {
  /** Copies. */
  public Opening {
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
  public static Opening choose(Directory directory, int firstJournalSegment, LongSupplier hashSeeds)
      throws IOException {
    List<String> problems = new ArrayList<>();
    List<Long> numbers = manifestNumbers(directory);
    OptionalLong current = readCurrent(directory, !numbers.isEmpty(), problems);
    long newest = numbers.isEmpty() ? 0 : numbers.get(0);
    long lastNumber = Math.max(newest, current.orElse(0));
    if (current.isPresent()) {
      numbers.removeIf(number -> number > current.getAsLong());
      if (!numbers.contains(current.getAsLong())) {
        problems.add(directory.pathOf(Layout.manifest(current.getAsLong())) + ": it is missing");
      }
    }
    for (long number : numbers) {
      try {
        return open(directory, read(directory, number), firstJournalSegment, lastNumber, problems);
      } catch (CorruptCheckpointException e) {
        problems.add(e.getMessage());
      }
    }
    try {
      Manifest empty = Manifest.empty(hashSeeds.getAsLong());
      return open(directory, empty, firstJournalSegment, lastNumber, problems);
    } catch (CorruptCheckpointException e) {
      problems.add(e.getMessage());
      throw new CorruptCheckpointException(String.join("\n  ", problems));
    }
  }

  /** The numbers of the manifests that there are, newest first. */
  private static List<Long> manifestNumbers(Directory directory) throws IOException {
    List<Long> numbers = new ArrayList<>();
    for (String name : directory.list()) {
      Layout.manifestNumber(name).ifPresent(numbers::add);
    }
    numbers.sort(Comparator.reverseOrder());
    return numbers;
  }

  /** The number of the manifest that CURRENT names; empty if it is damaged or missing. */
  private static OptionalLong readCurrent(
      Directory directory, boolean hasManifests, List<String> problems) throws IOException {
    String path = directory.pathOf(Layout.CURRENT);
    if (!directory.list().contains(Layout.CURRENT)) {
      if (hasManifests) {
        problems.add(path + ": it is missing");
      }
      return OptionalLong.empty();
    }
    byte[] content = directory.read(Layout.CURRENT, ManifestFormat.MAX_BYTES);
    OptionalLong number = Layout.manifestOf(content);
    if (number.isEmpty()) {
      problems.add(path + ": its checksum is wrong");
    }
    return number;
  }

  private static Manifest read(Directory directory, long number) throws IOException {
    String name = Layout.manifest(number);
    String path = directory.pathOf(name);
    Manifest manifest = ManifestFormat.decode(directory.read(name, ManifestFormat.MAX_BYTES), path);
    if (manifest.number() != number) {
      throw Damage.of(path, "it says that it is number " + manifest.number());
    }
    return manifest;
  }

  private static Opening open(
      Directory directory,
      Manifest manifest,
      int firstJournalSegment,
      long lastNumber,
      List<String> problems)
      throws IOException {
    if (firstJournalSegment > manifest.firstSegment()) {
      throw Damage.of(
          directory.pathOf(Layout.manifest(manifest.number())),
          "it needs the journal from segment %d on, which begins at %d"
              .formatted(manifest.firstSegment(), firstJournalSegment));
    }
    List<RunFile> opened = new ArrayList<>();
    try {
      List<RunFile> runs = open(directory, manifest.runs(), opened);
      List<RunFile> histories = open(directory, manifest.histories(), opened);
      return new Opening(manifest, runs, histories, lastNumber, problems);
    } catch (IOException | RuntimeException e) {
      opened.forEach(RunFile::close);
      throw e;
    }
  }

  private static List<RunFile> open(
      Directory directory, List<ManifestFile> files, List<RunFile> opened) throws IOException {
    int first = opened.size();
    for (ManifestFile file : files) {
      opened.add(RunFile.open(directory, file));
    }
    return List.copyOf(opened.subList(first, opened.size()));
  }
}
