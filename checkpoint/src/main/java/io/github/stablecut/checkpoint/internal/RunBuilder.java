package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.CheckpointFiles;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.ManifestFile;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * Writes a run ({@link RunFormat}): entries as they come, then the tables, then the footer. Holds
 * in memory the slots' sorter, at most {@value FenceSpool#MEMORY_BYTES} bytes of fences, and the
 * checksums of the tables; never the entries. Confined to one thread.
 */
public final class RunBuilder implements AutoCloseable {
  private final Directory directory;
  private final String name;
  private final IdHash hash;
  private final BlockOutput out;
  private final SlotSorter sorter;
  private final FenceSpool fences;
  private byte[] lastId = new byte[0];
  private long entries;
  private long nextFenceAt;
  private boolean isComplete;

  /**
   * @param name what the run is called once it is complete
   */
  public RunBuilder(Directory directory, String name, IdHash hash, WriteLimits limits)
      throws IOException {
    this(directory, name, hash, limits, SlotSorter.PART_SLOTS, FenceSpool.MEMORY_BYTES);
  }

  /**
   * @param partSlots how many slots are sorted in memory
   * @param fenceBytes how many bytes of fences are in memory
   */
  RunBuilder(
      Directory directory,
      String name,
      IdHash hash,
      WriteLimits limits,
      int partSlots,
      int fenceBytes)
      throws IOException {
    this.directory = directory;
    this.name = name;
    this.hash = hash;
    this.sorter = new SlotSorter(directory, CheckpointFiles.sorting(name), limits, partSlots);
    this.fences = new FenceSpool(directory, CheckpointFiles.fences(name), limits, fenceBytes);
    this.out = new BlockOutput(directory, CheckpointFiles.unfinished(name), limits);
    try {
      out.write(RunFormat.header());
    } catch (IOException | RuntimeException | Error e) {
      out.close();
      throw e;
    }
  }

  /**
   * Adds the next entry.
   *
   * @param entry all its bytes, which nobody may change any more
   * @throws IllegalArgumentException if its id is not above the one before; nothing was added
   */
  public void add(byte[] entry) throws IOException {
    byte[] id = RunFormat.id(entry);
    if (entries > 0 && Arrays.compareUnsigned(lastId, id) >= 0) {
      throw new IllegalArgumentException("entries come in the order of their ids, each id once");
    }
    long offset = out.position();
    if (offset + entry.length > RunFormat.MAX_ENTRIES_END) {
      throw new IOException(directory.pathOf(name) + " would be larger than 16 TiB");
    }
    if (offset >= nextFenceAt) {
      addFence(id, offset);
    }
    out.write(entry);
    sorter.add(hash.of(id), RunFormat.location(offset, entry.length));
    lastId = id;
    entries++;
  }

  /** Puts a fence before an entry, unless what tells it from the one before it is too long. */
  private void addFence(byte[] id, long offset) throws IOException {
    int length = 0;
    if (entries > 0) {
      length = Arrays.mismatch(lastId, id) + 1;
    }
    if (length > RunFormat.MAX_FENCE_ID_BYTES) {
      return;
    }
    byte[] fence = RunFormat.fence(offset, id, length);
    fences.add(fence);
    nextFenceAt = offset + RunFormat.spacingAfter(fence);
  }

  /**
   * Completes the file and gives it its name; the name is durable once the directory is forced.
   *
   * @return what a manifest says of it
   */
  public ManifestFile finish(Checkpoint checkpoint, byte[] notes) throws IOException {
    if (notes.length > RunFooter.MAX_NOTES_BYTES) {
      throw new IllegalArgumentException(
          "%d bytes of notes, at most %d are possible"
              .formatted(notes.length, RunFooter.MAX_NOTES_BYTES));
    }
    RunFooter footer = writeTables(checkpoint, notes.length);
    byte[] tail = footer.encode(notes);
    out.write(tail);
    out.force();
    out.close();
    directory.rename(CheckpointFiles.unfinished(name), name);
    isComplete = true;
    int checksum =
        RunFormat.getInt(tail, tail.length - RunFormat.TRAILER_BYTES + RunFormat.TRAILER_CRC_AT);
    return new ManifestFile(name, checkpoint.at(), out.position(), checksum);
  }

  private RunFooter writeTables(Checkpoint checkpoint, int notesLength) throws IOException {
    long entriesEnd = out.position();
    out.align(RunFormat.PAGE_BYTES);
    out.beginSums();
    long fencesAt = out.position();
    fences.writeFences(out);
    out.align(Long.BYTES);
    long fenceTableAt = out.position();
    fences.writeOffsets(out, fencesAt);
    fences.close();
    out.align(RunFormat.SLOT_BYTES);
    sorter.forEach(
        (slotHash, location) -> {
          out.guide(slotHash);
          out.writeLong(slotHash);
          out.writeLong(location);
        });
    RunFilter.Writer filter = new RunFilter.Writer(out, entries);
    sorter.forEach((slotHash, location) -> filter.add(slotHash));
    filter.finish();
    sorter.close();
    out.write(out.endSums());
    return new RunFooter(
        RunFormat.VERSION,
        entries,
        entriesEnd,
        fences.count(),
        fenceTableAt,
        checkpoint,
        notesLength);
  }

  /** The files that are there while the run is not complete. */
  public List<String> fileNames() {
    return List.of(
        CheckpointFiles.unfinished(name),
        CheckpointFiles.sorting(name),
        CheckpointFiles.fences(name));
  }

  /** The number of bytes so far. */
  public long bytes() {
    return out.position();
  }

  /** Drops the file if it was not finished. */
  @Override
  public void close() throws IOException {
    if (!isComplete) {
      isComplete = true;
      try (out;
          fences) {
        sorter.close();
      }
      directory.delete(CheckpointFiles.unfinished(name));
    }
  }
}
