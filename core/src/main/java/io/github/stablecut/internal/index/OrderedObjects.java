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
 * Objects in the order of their ids, in blocks of neighbours: who looks for one visits a few blocks
 * and one array, where a list of single objects has one in another place of the memory at each
 * step. Thread-safe; reading takes no lock. Who goes through them sees each object once that is
 * there all the time, and may or may not see one that comes or goes meanwhile.
 */
final class OrderedObjects {
  private static final int BLOCK = 64;

  /**
   * The blocks, each under a bound that is at or below its ids and above those of the block before.
   * The first one, at the empty id, is always there.
   *
   * <p>Invariant: when a block is divided, its upper half is here before it is taken out of the
   * lower one.
   */
  private final ConcurrentNavigableMap<Bytes, Block> blocks;

  private final int most;

  OrderedObjects() {
    this(BLOCK);
  }

  /**
   * @param most how many objects a block has at most
   */
  OrderedObjects(int most) {
    this(most, new ConcurrentSkipListMap<>());
  }

  /**
   * @param blocks empty
   */
  OrderedObjects(int most, ConcurrentNavigableMap<Bytes, Block> blocks) {
    this.most = most;
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

    /** The place of the first id at or above one. */
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

    /** Whether an id is at the place where it would be. */
    boolean hasAt(int place, Bytes id) {
      return place < entries.length && entries[place].compareId(id) == 0;
    }

    Block withInserted(int place, ObjectEntry entry) {
      ObjectEntry[] more = new ObjectEntry[entries.length + 1];
      System.arraycopy(entries, 0, more, 0, place);
      more[place] = entry;
      System.arraycopy(entries, place, more, place + 1, entries.length - place);
      return new Block(more);
    }

    Block withReplaced(int place, ObjectEntry entry) {
      ObjectEntry[] replaced = entries.clone();
      replaced[place] = entry;
      return new Block(replaced);
    }

    Block without(int place) {
      ObjectEntry[] fewer = new ObjectEntry[entries.length - 1];
      System.arraycopy(entries, 0, fewer, 0, place);
      System.arraycopy(entries, place + 1, fewer, place, fewer.length - place);
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
   * The last block whose bound is below an id. The map finds it first and reads it then: if it is
   * divided in between, it has lost its upper half to a block that the map has not found. That
   * block is there before the half is taken out, so a second look finds it.
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

  /** Puts an object in, or another entry in its place. */
  @SuppressWarnings("ReferenceEquality") // entries of one object are equal
  synchronized void put(ObjectEntry entry) {
    Bytes id = entry.id();
    Map.Entry<Bytes, Block> found = blockOf(id);
    Block block = found.getValue();
    int place = block.firstAtOrAbove(id);
    if (block.hasAt(place, id)) {
      if (block.entries[place] != entry) {
        blocks.put(found.getKey(), block.withReplaced(place, entry));
      }
      return;
    }
    Block grown = block.withInserted(place, entry);
    if (grown.size() <= most) {
      blocks.put(found.getKey(), grown);
    } else {
      divide(found.getKey(), grown, place);
    }
  }

  /** Ids that come in order leave full blocks behind. */
  @GuardedBy("this")
  private void divide(Bytes bound, Block grown, int inserted) {
    int half = inserted == grown.size() - 1 ? inserted : grown.size() / 2;
    blocks.put(grown.entries[half].id(), grown.part(half, grown.size()));
    blocks.put(bound, grown.part(0, half));
  }

  /** Takes an object out, if it is here. */
  synchronized void remove(ObjectEntry entry) {
    Bytes id = entry.id();
    Map.Entry<Bytes, Block> found = blockOf(id);
    Block block = found.getValue();
    int place = block.firstAtOrAbove(id);
    if (!block.hasAt(place, id)) {
      return;
    }
    if (block.size() == 1 && found.getKey().length() > 0) {
      blocks.remove(found.getKey());
    } else {
      blocks.put(found.getKey(), block.without(place));
    }
  }

  /**
   * Visits the objects at or above an id, in ascending order.
   *
   * @param visitor returns whether it wants more
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
        // What was divided meanwhile is in the next block again.
        next = last.compareTo(next) < 0 ? next : last.successor();
      }
    }
  }

  /**
   * Visits the objects below an id, in descending order.
   *
   * @param until the id; null to begin at the last object
   * @param visitor returns whether it wants more
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
   * @param isDescending whether those with the greatest ids are the first
   * @param limit how many at most, at least 1
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

  /** How many blocks there are. */
  int blocks() {
    return blocks.size();
  }
}
