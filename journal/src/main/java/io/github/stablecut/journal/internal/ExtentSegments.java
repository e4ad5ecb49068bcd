package io.github.stablecut.journal.internal;

import io.github.stablecut.file.DiskSpace;
import io.github.stablecut.file.PrivateFiles;
import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.journal.segment.SegmentView;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * Segments that are files, to which space is added in <em>extents</em> of zeros that the chunks
 * fill one after the other. A subclass lays out the files that it creates; those of earlier runs
 * may have any layout ({@link SegmentFiles}).
 *
 * <p>When the next segment has begun, and at the close, a file is cut to what was written.
 *
 * <p>The channel is an {@link AsynchronousFileChannel} that works on the thread of the caller
 * ({@link CallerRunsExecutor}), because a {@link FileChannel} is closed by the interrupt of a
 * thread that uses it, and users' threads append and force.
 *
 * <p>Thread-safe as the interface says: one thread at a time creates, appends and forces.
 */
abstract class ExtentSegments implements SegmentStore {
  private static final int MIN_EXTENT_BYTES = 64 << 10;
  private static final int MAX_EXTENT_BYTES = 1 << 20;
  private static final int BLOCK_BYTES = 4 << 10;
  private static final ByteBuffer ZEROS =
      ByteBuffer.allocateDirect(MIN_EXTENT_BYTES).asReadOnlyBuffer();

  private final Path directory;

  /** Reused, so that a group allocates none. */
  private final File place;

  private final NewestSegment newest;
  private final int extentBytes;
  private final ConcurrentSkipListMap<Integer, Path> files;
  private final Map<Integer, MappedSegment> maps = new ConcurrentHashMap<>();
  private final Map<Integer, Long> lengths = new ConcurrentHashMap<>();
  private volatile int current;
  private volatile long currentEnd;
  private long extentEnd;
  private @Nullable AsynchronousFileChannel channel;

  /** A chunk in transit to the channel, which would otherwise keep a copy for each thread. */
  private ByteBuffer outgoing = ByteBuffer.allocateDirect(MIN_EXTENT_BYTES);

  private boolean closed;

  /**
   * Opens a directory, which is created if it doesn't exist. Moves the files of earlier runs away.
   */
  ExtentSegments(Path directory, int segmentBytes) throws IOException {
    PrivateFiles.createDirectories(directory);
    this.directory = directory;
    this.place = directory.toFile();
    this.newest = new NewestSegment(directory);
    this.extentBytes = Math.max(MIN_EXTENT_BYTES, Math.min(segmentBytes / 16, MAX_EXTENT_BYTES));
    this.files = new ConcurrentSkipListMap<>(SegmentFiles.seal(directory));
    files.forEach((segment, file) -> lengths.put(segment, file.toFile().length()));
  }

  /** A part of a file. */
  record Space(long start, long end) {}

  /** The name of the file of a new segment. */
  abstract String fileNameOf(int segment);

  /**
   * Adds an extent of zeros ({@link #fill}) to the current segment, whose file doesn't exist before
   * its first extent.
   *
   * @param bytes its least length
   * @return where the next chunk starts, and the end of the extent
   */
  abstract Space extend(int bytes) throws IOException;

  /** Closes what the layout has open. Called before the last file is cut. */
  abstract void closeLayout() throws IOException;

  @Override
  public List<Integer> segments() {
    return List.copyOf(files.keySet());
  }

  @Override
  public Extent extent() throws IOException {
    return newest.read();
  }

  @Override
  public void markSynced(long sequence) throws IOException {
    newest.markSynced(sequence);
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
  public long create(int segment, byte[] chunk, int length) throws IOException {
    int before = current;
    long beforeEnd = currentEnd;
    long start;
    try (AsynchronousFileChannel previous = channel) {
      channel = null;
      if (previous != null) {
        lengths.put(before, beforeEnd);
      }
      current = segment;
      currentEnd = 0;
      extentEnd = 0;
      files.put(segment, directory.resolve(fileNameOf(segment)));
      start = append(chunk, length);
      if (previous != null) {
        leave(before, previous, beforeEnd);
      }
    }
    openChannel().force(true);
    newest.write(new Extent(segment, 0));
    PrivateFiles.forceDirectory(directory);
    MappedSegment earlier = maps.putIfAbsent(segment, new MappedSegment(file(segment)));
    if (earlier != null) {
      // A reader has mapped the file since it exists: its views must count when it is deleted.
      earlier.remap();
    }
    return start;
  }

  /**
   * Cuts a segment to what was written, once the layout uses the next one. A file with a second
   * name is cut when the journal is opened again.
   */
  private void leave(int segment, AsynchronousFileChannel file, long end) throws IOException {
    if (SegmentFiles.isOnlyName(file(segment))) {
      file.truncate(roundedUp(end));
    }
    MappedSegment map = maps.get(segment);
    if (map != null) {
      map.remap();
    }
  }

  /**
   * Writes through a channel of our own: where the disk is full, that is an exception here and now.
   * A store to a map would be a fault that Java may report after the record was acknowledged.
   */
  @Override
  public long append(byte[] chunk, int length) throws IOException {
    if (currentEnd + length > extentEnd) {
      startExtent(Math.max(extentBytes, length));
    }
    long start = currentEnd;
    if (length > outgoing.capacity()) {
      outgoing = ByteBuffer.allocateDirect(MAX_CHUNK_BYTES);
    }
    write(outgoing.clear().put(chunk, 0, length).flip(), start);
    currentEnd = start + length;
    return start;
  }

  @Override
  public long room() {
    return extentEnd - currentEnd;
  }

  private void startExtent(int bytes) throws IOException {
    Space space = extend(bytes);
    currentEnd = space.start();
    extentEnd = space.end();
  }

  /** The segment that is being written. */
  final int current() {
    return current;
  }

  /** The space in which chunks were written; empty before the first extent. */
  final Space used() {
    return new Space(currentEnd, extentEnd);
  }

  final Path directory() {
    return directory;
  }

  /** Writes zeros to the current segment, so that a sync finds the blocks allocated. */
  final void fill(long start, long end) throws IOException {
    for (long at = start; at < end; at += ZEROS.capacity()) {
      write(ZEROS.duplicate().limit((int) Math.min(ZEROS.capacity(), end - at)), at);
    }
  }

  /** Writes to the current segment, whose file exists. */
  final void write(ByteBuffer source, long at) throws IOException {
    write(openChannel(), source, at);
  }

  private static void write(AsynchronousFileChannel target, ByteBuffer source, long at)
      throws IOException {
    long behind = at + source.remaining();
    while (source.hasRemaining()) {
      int written = CallerRunsExecutor.result(target.write(source, behind - source.remaining()));
      if (written == 0) {
        throw new IOException("nothing was written to a segment at offset " + at);
      }
    }
  }

  /** The channel of the current segment, whose file exists. */
  private AsynchronousFileChannel openChannel() throws IOException {
    AsynchronousFileChannel open = channel;
    if (open == null) {
      open = channelTo(file(current));
      PrivateFiles.restrict(file(current));
      channel = open;
    }
    return open;
  }

  private static AsynchronousFileChannel channelTo(Path file) throws IOException {
    return AsynchronousFileChannel.open(
        file,
        Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE),
        CallerRunsExecutor.EXECUTOR);
  }

  @Override
  public void force(int segment) throws IOException {
    AsynchronousFileChannel open = channel;
    if (open != null && segment == current) {
      open.force(false);
      return;
    }
    try (FileChannel older = FileChannel.open(file(segment), StandardOpenOption.WRITE)) {
      older.force(false);
    }
  }

  @Override
  public void rewrite(int segment, int from, int to) throws IOException {
    ByteBuffer part = ByteBuffer.allocate(Math.min(to - from, MAX_EXTENT_BYTES));
    try (AsynchronousFileChannel target = channelTo(file(segment))) {
      for (int at = from; at < to; at += part.limit()) {
        part.clear().limit(Math.min(to - at, part.capacity()));
        while (part.hasRemaining()) {
          if (CallerRunsExecutor.result(target.read(part, at + part.position())) < 0) {
            throw new EOFException(nameOf(segment) + " has become shorter while it was opened");
          }
        }
        part.flip();
        write(target, part, at);
      }
    }
  }

  @Override
  public void check(int segment) throws IOException {
    SegmentFiles.check(file(segment), segment, nameOf(segment));
  }

  @Override
  public SegmentView view(int segment) throws IOException {
    MappedSegment map = mapped(segment);
    if (segment == current) {
      map.cover(currentEnd);
    }
    return map.open();
  }

  private MappedSegment mapped(int segment) throws IOException {
    MappedSegment known = maps.get(segment);
    if (known != null) {
      return known;
    }
    MappedSegment created = new MappedSegment(file(segment));
    MappedSegment earlier = maps.putIfAbsent(segment, created);
    return earlier == null ? created : earlier;
  }

  private Path file(int segment) throws IOException {
    Path file = files.get(segment);
    if (file == null) {
      throw new NoSuchFileException(directory.resolve(fileNameOf(segment)).toString());
    }
    return file;
  }

  @Override
  public SegmentView sequentialView(int segment) throws IOException {
    return ReadSegment.open(file(segment));
  }

  @Override
  public long allocatedBytes(int segment) {
    if (segment == current) {
      return currentEnd;
    }
    Long length = lengths.get(segment);
    return length == null ? 0 : length;
  }

  @Override
  public void delete(int segment) throws IOException {
    if (segment == newest.read().newest()) {
      int before = Objects.requireNonNullElse(files.lowerKey(segment), 0);
      newest.write(new Extent(before, 0));
    }
    mapped(segment).delete();
    files.remove(segment);
    lengths.remove(segment);
    maps.remove(segment);
  }

  @Override
  public long usableBytes() throws IOException {
    return DiskSpace.usableBytes(place);
  }

  /**
   * To the whole block in which the last chunk ends: a program that opens the store and writes
   * little, as tools do, leaves little.
   */
  private static long roundedUp(long end) {
    return (end + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    maps.clear();
    closeLayout();
    AsynchronousFileChannel last = channel;
    if (last != null) {
      try (last) {
        last.truncate(Math.min(extentEnd, roundedUp(currentEnd)));
      }
    }
  }
}
