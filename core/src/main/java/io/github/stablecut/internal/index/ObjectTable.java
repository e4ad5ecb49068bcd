package io.github.stablecut.internal.index;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Entries by the ids of their objects: a hash table whose chains are made of the entries
 * themselves, because the nodes of {@code ConcurrentHashMap} take more than an entry does. Ids come
 * from clients, so their hashes are such as nobody can foresee ({@link Bytes#seededHash}).
 * Thread-safe; looking for an entry takes no lock, but while its part of the table grows.
 */
final class ObjectTable {
  /** The highest bits of a hash are the number of its part; the lowest that of its slot there. */
  private static final int PART_BITS = 5;

  /** Each has a lock, and grows by itself. */
  private static final int PARTS = 1 << PART_BITS;

  private static final VarHandle SLOTS = MethodHandles.arrayElementVarHandle(ObjectEntry[][].class);
  private static final VarHandle FIRSTS = MethodHandles.arrayElementVarHandle(ObjectEntry[].class);

  private final Part[] parts = new Part[PARTS];

  /**
   * The first entry of each chain, part by part.
   *
   * <p>Invariant: while chains of a part are linked anew, its slots are null here. So who has gone
   * through a chain and sees the same slots still has seen all of it.
   */
  private final @Nullable ObjectEntry[][] slots = new ObjectEntry[PARTS][];

  ObjectTable() {
    for (int i = 0; i < PARTS; i++) {
      parts[i] = new Part(i);
    }
  }

  /** The entry of an object; null if it has none. */
  @Nullable ObjectEntry find(Bytes id) {
    int hash = id.seededHash();
    int part = partOf(hash);
    ObjectEntry[] own = (ObjectEntry[]) SLOTS.getAcquire(slots, part);
    if (own != null) {
      ObjectEntry found = find(own, id, hash);
      if (found != null || (ObjectEntry[]) SLOTS.getAcquire(slots, part) == own) {
        return found;
      }
    }
    return parts[part].find(id, hash);
  }

  private static @Nullable ObjectEntry find(ObjectEntry[] own, Bytes id, int hash) {
    ObjectEntry entry = (ObjectEntry) FIRSTS.getAcquire(own, slotOf(hash, own.length));
    while (entry != null && !entry.isOf(id, hash)) {
      entry = entry.next;
    }
    return entry;
  }

  /**
   * Changes an object's entry, a new one if it has none. Atomic: of several changes of an entry one
   * is made after the other. If the entry is empty then, the object has none any more.
   *
   * @param change touches no other entry
   * @return the entry; null if the object has none then
   */
  @CanIgnoreReturnValue
  @Nullable ObjectEntry change(Bytes id, Consumer<ObjectEntry> change) {
    return parts[partOf(id.seededHash())].change(id, true, change);
  }

  /** As {@link #change}, unless the object has no entry. */
  @CanIgnoreReturnValue
  @Nullable ObjectEntry changeKnown(Bytes id, Consumer<ObjectEntry> change) {
    return parts[partOf(id.seededHash())].change(id, false, change);
  }

  /** Visits all entries, some twice if the table grows. May miss those that are made meanwhile. */
  void forEach(Consumer<ObjectEntry> visitor) {
    List<ObjectEntry> chain = new ArrayList<>();
    for (int part = 0; part < PARTS; part++) {
      ObjectEntry[] own = parts[part].slots();
      int slot = 0;
      while (slot < own.length) {
        ObjectEntry entry = (ObjectEntry) FIRSTS.getAcquire(own, slot);
        while (entry != null) {
          chain.add(entry);
          entry = entry.next;
        }
        if ((ObjectEntry[]) SLOTS.getAcquire(slots, part) == own) {
          chain.forEach(visitor);
          slot++;
        } else {
          own = parts[part].slots();
          slot = 0;
        }
        chain.clear();
      }
    }
  }

  /** The number of entries. */
  int size() {
    int size = 0;
    for (Part part : parts) {
      size += part.size;
    }
    return size;
  }

  private static int partOf(int hash) {
    return hash >>> (Integer.SIZE - PART_BITS);
  }

  private static int slotOf(int hash, int length) {
    return hash & (length - 1);
  }

  /** Some of the entries; its lock is that of their chains. */
  private final class Part {
    /** A power of two. */
    private static final int FEWEST = 8;

    private final int number;

    /** Written under the lock. */
    private volatile int size;

    Part(int number) {
      this.number = number;
      slots[number] = new ObjectEntry[FEWEST];
    }

    /** Waits while they grow. */
    synchronized ObjectEntry[] slots() {
      return slots[number];
    }

    synchronized @Nullable ObjectEntry find(Bytes id, int hash) {
      return ObjectTable.find(slots(), id, hash);
    }

    synchronized @Nullable ObjectEntry change(
        Bytes id, boolean isMade, Consumer<ObjectEntry> change) {
      ObjectEntry known = find(id, id.seededHash());
      if (known == null && !isMade) {
        return null;
      }
      ObjectEntry entry = known == null ? new ObjectEntry(id) : known;
      change.accept(entry);
      if (entry.isEmpty()) {
        if (known != null) {
          unlink(entry, slots[number]);
          size--;
        }
        return null;
      }
      if (known == null) {
        link(entry, slots[number]);
        size++;
        if (size > slots[number].length) {
          grow(slots[number]);
        }
      }
      return entry;
    }

    private void link(ObjectEntry entry, ObjectEntry[] own) {
      int slot = slotOf(entry.hashCode(), own.length);
      entry.next = own[slot];
      FIRSTS.setRelease(own, slot, entry);
    }

    /** Who is at the entry goes on from there. */
    private void unlink(ObjectEntry entry, ObjectEntry[] own) {
      int slot = slotOf(entry.hashCode(), own.length);
      ObjectEntry before = own[slot];
      if (before.equals(entry)) {
        FIRSTS.setRelease(own, slot, entry.next);
        return;
      }
      for (ObjectEntry at = before.next; at != null && !at.equals(entry); at = at.next) {
        before = at;
      }
      before.next = entry.next;
    }

    private void grow(ObjectEntry[] own) {
      ObjectEntry[] more;
      try {
        more = new ObjectEntry[2 * own.length];
      } catch (OutOfMemoryError e) {
        // The chains are longer until there is memory: whoever makes the next entry tries again.
        return;
      }
      SLOTS.setVolatile(slots, number, null);
      for (ObjectEntry first : own) {
        ObjectEntry entry = first;
        while (entry != null) {
          ObjectEntry next = entry.next;
          link(entry, more);
          entry = next;
        }
      }
      SLOTS.setVolatile(slots, number, more);
    }
  }
}
