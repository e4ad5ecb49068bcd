package io.github.stablecut.journal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.journal.testing.LossySegments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The storage of a journal, whose processes can be killed and whose bytes can be damaged. */
interface TestDisk {
  int SEGMENT_BYTES = 4096;
  JournalOptions OPTIONS = OpenJournal.OPTIONS.withSegmentBytes(SEGMENT_BYTES);

  /** Opens the segments that the previous process left when it was killed. */
  SegmentStore open() throws IOException;

  /** The segments of the killed process. */
  List<Integer> segments() throws IOException;

  /** A segment as the killed process left it, to the end of its data or slightly further. */
  byte[] contents(int segment) throws IOException;

  /** Replaces the contents of a segment for the next process. */
  void replace(int segment, byte[] contents) throws IOException;

  default OpenJournal openJournal() throws IOException {
    return new OpenJournal(open(), OPTIONS);
  }

  /** A disk in memory. */
  final class InMemory implements TestDisk {
    private LossySegments disk = new LossySegments();

    @Override
    public LossySegments open() {
      disk = disk.afterKill();
      return disk;
    }

    @Override
    public List<Integer> segments() {
      return disk.segments();
    }

    @Override
    public byte[] contents(int segment) {
      return disk.contents(segment);
    }

    @Override
    public void replace(int segment, byte[] contents) {
      disk = disk.afterKill();
      disk.replace(segment, contents);
    }
  }

  /** Files under a directory; each process gets a copy of those of the previous one. */
  final class OnFiles implements TestDisk, AutoCloseable {
    private static final int ZEROS_KEPT = 1 << 20;

    private final Path root;
    private int runs;
    private Path directory;
    private SegmentStore last = new LossySegments();

    /** The layouts of the processes, in turn. */
    private final SegmentLayout[] layouts;

    OnFiles(Path root, SegmentLayout... layouts) {
      this.root = root;
      this.layouts = layouts;
      this.directory = root.resolve("0");
    }

    @Override
    public SegmentStore open() throws IOException {
      kill();
      last = JournalDirectory.open(directory, OPTIONS.segmentBytes(), layout());
      return last;
    }

    private SegmentLayout layout() {
      return layouts[runs % layouts.length];
    }

    /** Copies the files in their current state for the next process. */
    private void kill() throws IOException {
      Path copy = root.resolve(String.valueOf(++runs));
      Files.createDirectories(copy);
      for (int segment : segments()) {
        Path file = file(segment);
        Files.write(copy.resolve(file.getFileName()), contents(segment));
      }
      last.close();
      directory = copy;
    }

    private Path file(int segment) throws IOException {
      return files().get(segments().indexOf(segment));
    }

    private List<Path> files() throws IOException {
      if (!Files.exists(directory)) {
        return List.of();
      }
      try (Stream<Path> files = Files.walk(directory)) {
        return files
            .filter(file -> segmentOf(file) > 0)
            .sorted(Comparator.comparingInt(OnFiles::segmentOf))
            .toList();
      }
    }

    @Override
    public List<Integer> segments() throws IOException {
      return files().stream().map(OnFiles::segmentOf).toList();
    }

    private Path newFile(int segment, byte[] contents) throws IOException {
      int at = segments().indexOf(segment);
      if (at >= 0) {
        return files().get(at);
      }
      boolean isPlain = new String(contents, US_ASCII).startsWith("stablecut-segment");
      String day = LocalDate.ofEpochDay(segment).format(DateTimeFormatter.BASIC_ISO_DATE);
      return directory.resolve(isPlain ? "%010d.seg".formatted(segment) : day + "S.cq4");
    }

    private static int segmentOf(Path file) {
      return JournalDirectory.segmentOf(file.getFileName().toString());
    }

    @Override
    public byte[] contents(int segment) throws IOException {
      return shorten(Files.readAllBytes(file(segment)));
    }

    /** Cuts off most of the zeros at the end. */
    private static byte[] shorten(byte[] bytes) {
      int end = bytes.length;
      while (end > 0 && bytes[end - 1] == 0) {
        end--;
      }
      return Arrays.copyOf(bytes, Math.min(bytes.length, end + ZEROS_KEPT));
    }

    @Override
    public void replace(int segment, byte[] contents) throws IOException {
      kill();
      Files.write(newFile(segment, contents), contents);
    }

    @Override
    public void close() throws IOException {
      last.close();
    }
  }
}
