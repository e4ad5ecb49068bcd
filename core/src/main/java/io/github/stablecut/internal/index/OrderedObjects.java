package io.github.stablecut.internal.index;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A map of objects sorted by id, in blocks of neighbours. A lookup visits a few blocks and one
 * array, whereas a list of single objects would access another memory location at each step.
 * Thread-safe; readers take no lock. An iteration sees each object that is present throughout
 * exactly once; it may or may not see objects that are added or removed meanwhile.
 */
final class OrderedObjects {
  private static final int BLOCK = 64;

  /**
   * The blocks by their lower bounds. A bound is at or below the block's ids and above those of the
   * previous block. The first block, at the empty id, always exists.
   *
   * <p>Invariant: when a block is split, its upper half is added before it is removed from the
   * lower block.
   */
  private final ConcurrentNavigableMap<Bytes, Block> blocks;

  private final int maxBlockSize;

  OrderedObjects() {
    this(BLOCK);
  }

  /**
   * @param maxBlockSize the maximum number of objects in a block
   */
  OrderedObjects(int maxBlockSize) {
    this(maxBlockSize, new ConcurrentSkipListMap<>());
  }

  /**
   * @param blocks empty
   */
  OrderedObjects(int maxBlockSize, ConcurrentNavigableMap<Bytes, Block> blocks) {
    this.maxBlockSize = maxBlockSize;
    this.blocks = blocks;
    blocks.put(Bytes.EMPTY, Block.EMPTY);
  }

  /** Neighbours in ascending order. Immutable. */
  static final class Block {
    static final Block EMPTY = new Block(new ObjectEntry[0]);

    private final ObjectEntry[] entries;

    Block(ObjectEntry[] entries) {
      this.entries = entries;
    }

    int size() {
      return entries.length;
    }

    /** Returns the index of the first id at or above an id. */
    int firstAtOrAbove(Bytes id) {
      int low = 0;
      int high = entries.length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (entries[middle].compareId(id) < 0) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }

    /** Whether an id is at an index. */
    boolean hasAt(int index, Bytes id) {
      return index < entries.length && entries[index].compareId(id) == 0;
    }

    Block withInserted(int index, ObjectEntry entry) {
      ObjectEntry[] more = new ObjectEntry[entries.length + 1];
      System.arraycopy(entries, 0, more, 0, index);
      more[index] = entry;
      System.arraycopy(entries, index, more, index + 1, entries.length - index);
      return new Block(more);
    }

    Block withReplaced(int index, ObjectEntry entry) {
      ObjectEntry[] replaced = entries.clone();
      replaced[index] = entry;
      return new Block(replaced);
    }

    Block without(int index) {
      ObjectEntry[] fewer = new ObjectEntry[entries.length - 1];
      System.arraycopy(entries, 0, fewer, 0, index);
      System.arraycopy(entries, index + 1, fewer, index, fewer.length - index);
      return new Block(fewer);
    }

    Block part(int from, int to) {
      return new Block(Arrays.copyOfRange(entries, from, to));
    }
  }

  private Map.Entry<Bytes, Block> blockOf(Bytes id) {
    return Objects.requireNonNull(blocks.floorEntry(id), "the first block");
  }

  /**
   * Returns the last block whose bound is below an id. The map locates a block before reading it:
   * if the block is split in between, its upper half is in a block that the map has not found. The
   * upper block is added first, so a second lookup finds it.
   *
   * @param id null for the last block of all
   * @return null if there is none
   */
  private Map.@Nullable Entry<Bytes, Block> blockBelow(@Nullable Bytes id) {
    while (true) {
      Map.Entry<Bytes, Block> found = id == null ? blocks.lastEntry() : blocks.lowerEntry(id);
      if (found == null
          || found.getKey().equals(id == null ? blocks.lastKey() : blocks.lowerKey(id))) {
        return found;
      }
    }
  }

  /** Adds an object, or replaces its entry. */
  @SuppressWarnings("ReferenceEquality") // entries of one object are equal
  synchronized void put(ObjectEntry entry) {
    Bytes id = entry.id();
    Map.Entry<Bytes, Block> found = blockOf(id);
    Block block = found.getValue();
    int index = block.firstAtOrAbove(id);
    if (block.hasAt(index, id)) {
      if (block.entries[index] != entry) {
        blocks.put(found.getKey(), block.withReplaced(index, entry));
      }
      return;
    }
    Block grown = block.withInserted(index, entry);
    if (grown.size() <= maxBlockSize) {
      blocks.put(found.getKey(), grown);
    } else {
      split(found.getKey(), grown, index);
    }
  }

  /** Splits a block; ids added in ascending order leave full blocks. */
  @GuardedBy("this")
  private void split(Bytes bound, Block grown, int inserted) {
    int half = inserted == grown.size() - 1 ? inserted : grown.size() / 2;
    blocks.put(grown.entries[half].id(), grown.part(half, grown.size()));
    blocks.put(bound, grown.part(0, half));
  }

  /** Removes an object, if it is present. */
  synchronized void remove(ObjectEntry entry) {
    Bytes id = entry.id();
    Map.Entry<Bytes, Block> found = blockOf(id);
    Block block = found.getValue();
    int index = block.firstAtOrAbove(id);
    if (!block.hasAt(index, id)) {
      return;
    }
    if (block.size() == 1 && found.getKey().length() > 0) {
      blocks.remove(found.getKey());
    } else {
      blocks.put(found.getKey(), block.without(index));
    }
  }

  /**
   * Visits the objects at or above an id, in ascending order.
   *
   * @param visitor returns whether to continue
   */
  void forEachFrom(Bytes from, BiPredicate<Bytes, ObjectEntry> visitor) {
    Bytes next = from;
    for (Map.Entry<Bytes, Block> at = blockOf(from);
        at != null;
        at = blocks.higherEntry(at.getKey())) {
      Block block = at.getValue();
      for (int i = block.firstAtOrAbove(next); i < block.size(); i++) {
        ObjectEntry entry = block.entries[i];
        if (!visitor.test(entry.id(), entry)) {
          return;
        }
      }
      if (block.size() > 0) {
        Bytes last = block.entries[block.size() - 1].id();
        // After a concurrent split, the next block repeats objects that were visited.
        next = last.compareTo(next) < 0 ? next : last.successor();
      }
    }
  }

  /**
   * Visits the objects below an id, in descending order.
   *
   * @param until the id; null to start at the last object
   * @param visitor returns whether to continue
   */
  void forEachBelow(@Nullable Bytes until, BiPredicate<Bytes, ObjectEntry> visitor) {
    Bytes end = until;
    for (Map.Entry<Bytes, Block> at = blockBelow(end); at != null; at = blockBelow(at.getKey())) {
      Block block = at.getValue();
      for (int i = (end == null ? block.size() : block.firstAtOrAbove(end)) - 1; i >= 0; i--) {
        end = block.entries[i].id();
        if (!visitor.test(end, block.entries[i])) {
          return;
        }
      }
    }
  }

  /**
   * The first objects of a range.
   *
   * @param isDescending whether to start with the greatest ids
   * @param limit the maximum number, at least 1
   */
  List<Map.Entry<Bytes, ObjectEntry>> first(IdRange range, boolean isDescending, int limit) {
    List<Map.Entry<Bytes, ObjectEntry>> objects = new ArrayList<>();
    BiPredicate<Bytes, ObjectEntry> visitor =
        (id, entry) -> {
          if (!range.contains(id)) {
            return false;
          }
          objects.add(Map.entry(id, entry));
          return objects.size() < limit;
        };
    if (isDescending) {
      forEachBelow(range.until().orElse(null), visitor);
    } else {
      forEachFrom(range.from(), visitor);
    }
    return objects;
  }

  /** The number of blocks. */
  int blocks() {
    return blocks.size();
  }
}
