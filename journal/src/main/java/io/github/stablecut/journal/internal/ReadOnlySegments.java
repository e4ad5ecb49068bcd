package io.github.stablecut.journal.internal;

import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.journal.segment.SegmentView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** The segments in a directory, read-only and without Chronicle. Thread-safe. */
public final class ReadOnlySegments implements SegmentStore {
  private final NewestSegment newest;
  private final SortedMap<Integer, Path> files;
  private final Map<Integer, MappedSegment> maps = new ConcurrentHashMap<>();

  private ReadOnlySegments(Path directory, SortedMap<Integer, Path> files) {
    this.newest = new NewestSegment(directory);
    this.files = files;
  }

  /** The segments of the last run and of earlier ones. */
  public static ReadOnlySegments of(Path directory) throws IOException {
    SortedMap<Integer, Path> files = new TreeMap<>();
    Path sealed = directory.resolve(SegmentFiles.SEALED);
    if (Files.isDirectory(sealed)) {
      files.putAll(SegmentFiles.list(sealed));
    }
    files.putAll(SegmentFiles.list(directory));
    return new ReadOnlySegments(directory, files);
  }

  @Override
  public List<Integer> segments() {
    return List.copyOf(files.keySet());
  }

  @Override
  public Extent extent() throws IOException {
    return newest.read();
  }

  /** The file of an existing segment. */
  public Path fileOf(int segment) {
    Path file = files.get(segment);
    if (file == null) {
      throw new IllegalArgumentException("there is no segment " + segment);
    }
    return file;
  }

  @Override
  public String nameOf(int segment) {
    Path file = files.get(segment);
    return "segment "
        + segment
        + " ("
        + (file == null ? SegmentFiles.namesOf(segment) : file)
        + ")";
  }

  @Override
  public void check(int segment) throws IOException {
    SegmentFiles.check(fileOf(segment), segment, nameOf(segment));
  }

  @Override
  public SegmentView view(int segment) throws IOException {
    MappedSegment known = maps.get(segment);
    if (known == null) {
      Path file = files.get(segment);
      if (file == null) {
        throw new NoSuchFileException(nameOf(segment));
      }
      known = new MappedSegment(file);
      maps.put(segment, known);
    }
    return known.open();
  }

  @Override
  public SegmentView sequentialView(int segment) throws IOException {
    return ReadSegment.open(fileOf(segment));
  }

  @Override
  public long allocatedBytes(int segment) {
    return fileOf(segment).toFile().length();
  }

  @Override
  public long create(int segment, byte[] chunk, int length) {
    throw readOnly();
  }

  @Override
  public long append(byte[] chunk, int length) {
    throw readOnly();
  }

  @Override
  public long room() {
    return 0;
  }

  @Override
  public void markSynced(long sequence) {
    throw readOnly();
  }

  @Override
  public void force(int segment) {
    throw readOnly();
  }

  @Override
  public void rewrite(int segment, int from, int to) {
    throw readOnly();
  }

  @Override
  public void delete(int segment) {
    throw readOnly();
  }

  private static UnsupportedOperationException readOnly() {
    return new UnsupportedOperationException("the segments are read-only");
  }

  @Override
  public long usableBytes() {
    return 0;
  }

  @Override
  public void close() {
    maps.clear();
  }
}
