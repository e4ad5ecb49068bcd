package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.CorruptCheckpointException;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.FileView;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.checkpoint.ManifestFile;
import io.github.stablecut.checkpoint.RunEntry;
import io.github.stablecut.crdt.Bytes;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;

/**
 * A run open for reading. Thread-safe, without locks. It may be deleted once {@link #isUsed} is
 * false, and must not be used afterwards.
 */
public final class RunFile {
  /** Longer blocks, which have large entries, are not read in one call. */
  private static final int MAX_BLOCK_BYTES = 128 << 10;

  /** The longest entry that is copied before its checksum is known. */
  static final int MAX_UNCHECKED_BYTES = 1 << 20;

  private static final int PIECE_BYTES = 64 << 10;

  private final ManifestFile name;
  private final String path;
  private final FileView file;
  private final RunFooter footer;
  private final RunTables tables;

  /** The number of views that this run is part of. */
  private final AtomicInteger views = new AtomicInteger();

  private RunFile(Directory directory, ManifestFile name, FileView file, RunFooter footer) {
    this.name = name;
    this.path = directory.pathOf(name.name());
    this.file = file;
    this.footer = footer;
    this.tables = new RunTables(file, path, footer);
  }

  /**
   * Opens the file that a manifest names.
   *
   * @throws io.github.stablecut.checkpoint.CorruptCheckpointException if it is missing, or differs
   *     from the manifest's entry
   * @throws io.github.stablecut.checkpoint.CheckpointVersionException if a newer program wrote it
   */
  public static RunFile open(Directory directory, ManifestFile name) throws IOException {
    String path = directory.pathOf(name.name());
    FileView file;
    try {
      file = directory.view(name.name());
    } catch (NoSuchFileException e) {
      throw Damage.of(path, "the file is missing");
    }
    try {
      return new RunFile(directory, name, file, readFooter(file, path, name));
    } catch (RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  private static RunFooter readFooter(FileView file, String path, ManifestFile name) {
    long length = file.length();
    long trailerAt = length - RunFormat.TRAILER_BYTES;
    if (length < RunFormat.HEADER_BYTES + RunFormat.TRAILER_BYTES) {
      throw Damage.of(path, "it has only " + length + " bytes");
    }
    byte[] trailer = file.get(trailerAt, RunFormat.TRAILER_BYTES);
    int footerLength = RunFormat.getInt(trailer, 0);
    if (footerLength < 0
        || footerLength > RunFooter.MAX_BYTES
        || footerLength > trailerAt - RunFormat.HEADER_BYTES) {
      throw Damage.at(path, trailerAt, "a footer of " + footerLength + " bytes");
    }
    byte[] footer = file.get(trailerAt - footerLength, footerLength + RunFormat.TRAILER_CRC_AT);
    int checksum = RunFormat.getInt(trailer, RunFormat.TRAILER_CRC_AT);
    if (RunFormat.crc32c(footer, 0, footer.length) != checksum) {
      throw Damage.at(path, trailerAt - footerLength, "the checksum of the footer is wrong");
    }
    checkHeader(file, path, RunFormat.getInt(trailer, RunFormat.TRAILER_VERSION_AT));
    if (length != name.bytes() || checksum != name.checksum()) {
      throw Damage.of(
          path,
          "it is not the file that the manifest names: %d bytes with footer checksum %08x instead of %d with %08x"
              .formatted(length, checksum, name.bytes(), name.checksum()));
    }
    return decode(footer, footerLength, path, length);
  }

  private static void checkHeader(FileView file, String path, int trailerVersion) {
    byte[] header = file.get(0, RunFormat.HEADER_BYTES);
    int crc = RunFormat.crc32c(header, 0, RunFormat.HEADER_CRC_AT);
    if (RunFormat.getLong(header, 0) != RunFormat.MAGIC
        || RunFormat.getInt(header, RunFormat.HEADER_CRC_AT) != crc) {
      throw Damage.at(path, 0, "the header is not a run's");
    }
    int version = RunFormat.getInt(header, RunFormat.HEADER_VERSION_AT);
    if (version > RunFormat.VERSION) {
      throw Damage.newer(path, version, RunFormat.VERSION);
    }
    if (version < RunFormat.VERSION_WITHOUT_FILTER || version != trailerVersion) {
      throw Damage.at(path, 0, "version " + version + " and " + trailerVersion);
    }
  }

  private static RunFooter decode(byte[] bytes, int footerLength, String path, long length) {
    try {
      int version = RunFormat.getInt(bytes, footerLength + RunFormat.TRAILER_VERSION_AT);
      RunFooter footer = RunFooter.decode(bytes, footerLength, version);
      if (footer.fills(length, footerLength)) {
        return footer;
      }
      throw new IllegalArgumentException("its parts don't fill the file");
    } catch (IllegalArgumentException e) {
      throw Damage.at(
          path, length - RunFormat.TRAILER_BYTES - footerLength, "the footer: " + e.getMessage());
    }
  }

  /** The manifest's entry for the file. */
  public ManifestFile name() {
    return name;
  }

  /**
   * Unchecked bytes of the file.
   *
   * @param most the maximum count; fewer if the file ends earlier
   * @throws IllegalArgumentException if it ends before the first byte
   */
  public byte[] raw(long from, int most) {
    if (from < 0 || from > file.length()) {
      throw new IllegalArgumentException(
          "%s has %d bytes, so offset %d is out of range".formatted(path, file.length(), from));
    }
    return file.get(from, (int) Math.min(most, file.length() - from));
  }

  /** The file's path for messages. */
  String path() {
    return path;
  }

  /** The checkpoint of the run. */
  public Checkpoint checkpoint() {
    return footer.checkpoint();
  }

  /** The number of entries. */
  public long entries() {
    return footer.entries();
  }

  /** The caller's notes. */
  public byte[] notes() {
    int length = footer.notesLength();
    return file.get(file.length() - RunFormat.TRAILER_BYTES - length, length);
  }

  FileView file() {
    return file;
  }

  RunFooter footer() {
    return footer;
  }

  RunTables tables() {
    return tables;
  }

  /**
   * The entry of an object, if the run has one.
   *
   * @param idHash the id's hash ({@link IdHash})
   */
  public Optional<RunEntry> find(byte[] id, long idHash) {
    try {
      if (tables.hasFencesInMemory()) {
        return tables.mayHave(idHash) ? findAfterFence(id) : Optional.empty();
      }
    } catch (CorruptCheckpointException e) {
      // A fence or an earlier entry is damaged: the index avoids them.
    }
    return findByIndex(id, idHash);
  }

  /** Searches the entries between two fences, which one call reads. */
  private Optional<RunEntry> findAfterFence(byte[] id) {
    long fence = tables.fencesUpTo(id);
    long from = tables.offsetOf(fence - 1);
    long to = tables.offsetOf(fence);
    return to - from <= MAX_BLOCK_BYTES
        ? new EntryBlock(path, from, file.get(from, (int) (to - from))).find(id)
        : findByCursor(id);
  }

  private Optional<RunEntry> findByCursor(byte[] id) {
    RunCursor cursor = new RunCursor(this, IdRange.from(Bytes.wrap(id)));
    return cursor.advance() && RunFormat.compareId(cursor.head(), 0, id) == 0
        ? Optional.of(RunEntry.ofEncoded(cursor.entry()))
        : Optional.empty();
  }

  private Optional<RunEntry> findByIndex(byte[] id, long idHash) {
    for (long slot = tables.firstAtOrAbove(idHash); slot < footer.entries(); slot++) {
      if (tables.slotHash(slot) != idHash) {
        break;
      }
      byte[] entry = readEntry(tables.slotLocation(slot));
      if (RunFormat.compareId(entry, 0, id) == 0) {
        return Optional.of(RunEntry.ofEncoded(entry));
      }
    }
    return Optional.empty();
  }

  private byte[] readEntry(long location) {
    long at = RunFormat.locationOffset(location);
    int length = RunFormat.locationLength(location);
    if (length == 0) {
      length = RunFormat.getInt(file.get(at + RunFormat.LENGTH_AT, Integer.BYTES), 0);
    }
    checkLength(at, length);
    return read(at, length);
  }

  /**
   * Reads the entry at an offset, whose length was checked ({@link #checkLength}).
   *
   * @throws io.github.stablecut.checkpoint.CorruptCheckpointException if it is damaged
   */
  byte[] read(long at, int length) {
    byte[] entry = file.get(at, length);
    if (!RunFormat.isEntry(entry, 0, length)) {
      throw Damage.at(path, at, "the checksum of this entry is wrong");
    }
    return entry;
  }

  /**
   * Checks that it is safe to allocate memory for an entry. The length of a large entry is stored
   * in the entry itself, so its checksum is verified first, piece by piece.
   *
   * @throws io.github.stablecut.checkpoint.CorruptCheckpointException if it is damaged
   */
  void checkLength(long at, int length) {
    if (!RunFormat.isLengthPossible(length, footer.entriesEnd() - at)) {
      throw Damage.at(path, at, "an entry of " + length + " bytes");
    }
    if (length > MAX_UNCHECKED_BYTES && !hasChecksum(at, length)) {
      throw Damage.at(path, at, "the checksum of this entry is wrong");
    }
  }

  private boolean hasChecksum(long at, int length) {
    CRC32C crc = new CRC32C();
    byte[] piece = new byte[PIECE_BYTES];
    int from = RunFormat.LENGTH_AT;
    while (from < length) {
      int part = Math.min(piece.length, length - from);
      file.get(at + from, piece, 0, part);
      crc.update(piece, 0, part);
      from += part;
    }
    return (int) crc.getValue() == RunFormat.getInt(file.get(at, Integer.BYTES), 0);
  }

  /** Counts one more view that this run is part of. */
  public void retain() {
    views.incrementAndGet();
  }

  /** Counts one view less; releasing the last one closes the file. */
  public void release() {
    if (views.decrementAndGet() == 0) {
      close();
    }
  }

  /** Closes the file; readers may continue. */
  public void close() {
    tables.close();
    file.close();
  }

  /** Whether any view has this run. */
  public boolean isUsed() {
    return views.get() > 0;
  }

  @Override
  public String toString() {
    return path + " at " + checkpoint().at() + " with " + entries() + " entries";
  }
}
