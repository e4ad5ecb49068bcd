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
 * A hash table of entries by object id. Its chains link the entries themselves, because the nodes
 * of a {@code ConcurrentHashMap} take more memory than an entry. Clients choose the ids, so the
 * hash is seeded ({@link Bytes#seededHash}). Thread-safe; a lookup takes no lock, except while its
 * stripe grows.
 */
final class ObjectTable {
  /** The highest bits of a hash select the stripe, the lowest the slot in it. */
  private static final int STRIPE_BITS = 5;

  /** The number of stripes; each has a lock and grows independently. */
  private static final int STRIPES = 1 << STRIPE_BITS;

  private static final VarHandle SLOTS = MethodHandles.arrayElementVarHandle(ObjectEntry[][].class);
  private static final VarHandle FIRSTS = MethodHandles.arrayElementVarHandle(ObjectEntry[].class);

  private final Stripe[] stripes = new Stripe[STRIPES];

  /**
   * The first entry of each chain, by stripe.
   *
   * <p>Invariant: while a stripe's chains are relinked, its slots are null here. A reader that
   * finds the same slots after traversing a chain has therefore seen all of it.
   */
  private final @Nullable ObjectEntry[][] slots = new ObjectEntry[STRIPES][];

  ObjectTable() {
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new Stripe(i);
    }
  }

  /** Returns the entry of an object; null if it has none. */
  @Nullable ObjectEntry find(Bytes id) {
    int hash = id.seededHash();
    int stripe = stripeOf(hash);
    ObjectEntry[] own = (ObjectEntry[]) SLOTS.getAcquire(slots, stripe);
    if (own != null) {
      ObjectEntry found = find(own, id, hash);
      if (found != null || (ObjectEntry[]) SLOTS.getAcquire(slots, stripe) == own) {
        return found;
      }
    }
    return stripes[stripe].find(id, hash);
  }

  private static @Nullable ObjectEntry find(ObjectEntry[] own, Bytes id, int hash) {
    ObjectEntry entry = (ObjectEntry) FIRSTS.getAcquire(own, slotOf(hash, own.length));
    while (entry != null && !entry.isOf(id, hash)) {
      entry = entry.next;
    }
    return entry;
  }

  /**
   * Changes an object's entry atomically; creates the entry if there is none, and removes it if it
   * is empty afterwards.
   *
   * @param change must not access other entries
   * @return the entry; null if the object has none afterwards
   */
  @CanIgnoreReturnValue
  @Nullable ObjectEntry change(Bytes id, Consumer<ObjectEntry> change) {
    return stripes[stripeOf(id.seededHash())].change(id, true, change);
  }

  /** Like {@link #change}, unless the object has no entry. */
  @CanIgnoreReturnValue
  @Nullable ObjectEntry changeKnown(Bytes id, Consumer<ObjectEntry> change) {
    return stripes[stripeOf(id.seededHash())].change(id, false, change);
  }

  /**
   * Visits all entries, some of them twice if the table grows. May miss entries that are created
   * meanwhile.
   */
  void forEach(Consumer<ObjectEntry> visitor) {
    List<ObjectEntry> chain = new ArrayList<>();
    for (int stripe = 0; stripe < STRIPES; stripe++) {
      ObjectEntry[] own = stripes[stripe].slots();
      int slot = 0;
      while (slot < own.length) {
        ObjectEntry entry = (ObjectEntry) FIRSTS.getAcquire(own, slot);
        while (entry != null) {
          chain.add(entry);
          entry = entry.next;
        }
        if ((ObjectEntry[]) SLOTS.getAcquire(slots, stripe) == own) {
          chain.forEach(visitor);
          slot++;
        } else {
          own = stripes[stripe].slots();
          slot = 0;
        }
        chain.clear();
      }
    }
  }

  /** The number of entries. */
  int size() {
    int size = 0;
    for (Stripe stripe : stripes) {
      size += stripe.size;
    }
    return size;
  }

  private static int stripeOf(int hash) {
    return hash >>> (Integer.SIZE - STRIPE_BITS);
  }

  private static int slotOf(int hash, int length) {
    return hash & (length - 1);
  }

  /** A stripe of the table; its monitor guards its chains. */
  private final class Stripe {
    /** The initial number of slots, a power of two. */
    private static final int INITIAL_SLOTS = 8;

    private final int number;

    /** Written under the lock. */
    private volatile int size;

    Stripe(int number) {
      this.number = number;
      slots[number] = new ObjectEntry[INITIAL_SLOTS];
    }

    /** Returns the slots; waits while they grow. */
    synchronized ObjectEntry[] slots() {
      return slots[number];
    }

    synchronized @Nullable ObjectEntry find(Bytes id, int hash) {
      return ObjectTable.find(slots(), id, hash);
    }

    synchronized @Nullable ObjectEntry change(
        Bytes id, boolean isCreated, Consumer<ObjectEntry> change) {
      ObjectEntry known = find(id, id.seededHash());
      if (known == null && !isCreated) {
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

    /** Unlinks an entry. A concurrent reader at the entry continues from its {@code next}. */
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
        // Chains stay longer until there is memory; creating the next entry retries.
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
