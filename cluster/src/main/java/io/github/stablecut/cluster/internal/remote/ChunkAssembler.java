package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.crdt.Bytes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Assembles large messages from their chunks. Memory is reserved as chunks arrive, never for
 * announced lengths. Confined to the event loop of large messages.
 */
final class ChunkAssembler {
  private final TrafficBudget budget;

  /** The incomplete messages, in the order in which they began. */
  private final Set<Assembly> unfinished = new LinkedHashSet<>();

  /** The total size of the incomplete messages. */
  private long unfinishedBytes;

  /**
   * @param budget the memory for incomplete messages, and for complete ones until they are consumed
   */
  ChunkAssembler(TrafficBudget budget) {
    this.budget = budget;
  }

  /**
   * Begins a message.
   *
   * @param isRefusable whether the message may be dropped for lack of memory
   */
  Assembly begin(boolean isRefusable) {
    Assembly begun = new Assembly(budget.take(0), isRefusable);
    unfinished.add(begun);
    return begun;
  }

  /** A message that arrives in chunks. Compared by identity. */
  final class Assembly {
    private final Deque<Bytes> chunks = new ArrayDeque<>();
    private final TrafficBudget.Reservation reservation;
    private final boolean isRefusable;
    private int bytes;

    private Assembly(TrafficBudget.Reservation reservation, boolean isRefusable) {
      this.reservation = reservation;
      this.isRefusable = isRefusable;
    }

    /** Returns the number of bytes that have arrived. */
    int bytes() {
      return bytes;
    }

    /** Returns the memory of the message, which the consumer of the complete message closes. */
    TrafficBudget.Reservation reservation() {
      return reservation;
    }

    /**
     * Adds a chunk. Without memory for it, drops the message, unless it must not be refused.
     *
     * @return false if the message is dropped
     */
    boolean add(Bytes chunk) {
      // The oldest message takes precedence; otherwise all could block each other half-way.
      boolean isOldest = unfinished.iterator().next() == this;
      if (!reservation.tryGrow(chunk.length(), isOldest ? unfinishedBytes - bytes : 0)) {
        if (isRefusable) {
          drop();
          return false;
        }
        reservation.resize((long) bytes + chunk.length());
      }
      chunks.add(chunk);
      bytes += chunk.length();
      unfinishedBytes += chunk.length();
      return true;
    }

    /** Returns the complete message; its memory stays reserved. */
    Bytes finish() {
      leave();
      if (chunks.size() == 1) {
        return chunks.remove();
      }
      try {
        byte[] all = new byte[bytes];
        int length = 0;
        while (!chunks.isEmpty()) {
          // No one else holds the chunk: its memory becomes free for the next message.
          Bytes chunk = chunks.remove();
          chunk.copyInto(all, length);
          length += chunk.length();
        }
        return Bytes.wrap(all);
      } catch (RuntimeException | Error e) {
        reservation.close();
        throw e;
      }
    }

    /** Drops the message. Idempotent. */
    void drop() {
      leave();
      reservation.close();
    }

    private void leave() {
      if (unfinished.remove(this)) {
        unfinishedBytes -= bytes;
      }
    }
  }
}
