package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.CheckpointFiles;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.ManifestFile;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * Writes a run ({@link RunFormat}): the entries in the order of adding, then the tables, then the
 * footer. Memory holds the slot sorter, at most {@value FenceSpool#MEMORY_BYTES} bytes of fences,
 * and the checksums of the tables, but never the entries. Confined to one thread.
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
   * @param name the name of the run once it is complete
   */
  public RunBuilder(Directory directory, String name, IdHash hash, WriteLimits limits)
      throws IOException {
    this(directory, name, hash, limits, SlotSorter.PART_SLOTS, FenceSpool.MEMORY_BYTES);
  }

  /**
   * @param partSlots the number of slots to sort in memory
   * @param fenceBytes the maximum bytes of fences in memory
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
   * @param entry all its bytes, which must not be changed afterwards
   * @throws IllegalArgumentException if its id is not above the previous one; nothing was added
   */
  public void add(byte[] entry) throws IOException {
    byte[] id = RunFormat.id(entry);
    if (entries > 0 && Arrays.compareUnsigned(lastId, id) >= 0) {
      throw new IllegalArgumentException(
          "entries must be added in strictly ascending order of their ids");
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

  /**
   * Adds a fence before an entry, unless the prefix that distinguishes it from the previous id is
   * too long.
   */
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
   * @return the manifest's entry for it
   */
  public ManifestFile finish(Checkpoint checkpoint, byte[] notes) throws IOException {
    if (notes.length > RunFooter.MAX_NOTES_BYTES) {
      throw new IllegalArgumentException(
          "%d bytes of notes exceed the limit of %d"
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

  /** The files that may exist while the run is incomplete. */
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

  /** Deletes the file if it was not finished. */
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
