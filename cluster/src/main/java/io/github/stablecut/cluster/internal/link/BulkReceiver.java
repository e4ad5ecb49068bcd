package io.github.stablecut.cluster.internal.link;

import io.github.stablecut.cluster.internal.remote.LargeMessages;
import io.github.stablecut.cluster.internal.remote.Links;
import io.github.stablecut.cluster.internal.wire.BadMessageException;
import io.github.stablecut.cluster.internal.wire.WireOutput;
import io.github.stablecut.crdt.Bytes;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Receives the large messages of a link. Its connection keeps the order of chunks, so any gap is an
 * error of the other end. Confined to the event loop of large messages.
 */
final class BulkReceiver {
  /** A message of which chunks are missing. */
  private static final class Unfinished {
    private final LinkFrame.Content content;

    /** Collects the chunks; null if the message was dropped, and the rest is skipped. */
    private LargeMessages.@Nullable Incoming chunks;

    private int missing;

    Unfinished(LinkFrame.Content content, LargeMessages.Incoming chunks, int missing) {
      this.content = content;
      this.chunks = chunks;
      this.missing = missing;
    }
  }

  private final Function<LinkFrame.Content, LargeMessages.Incoming> begin;
  private final BiConsumer<LinkFrame.Content, Runnable> complete;
  private final Map<Integer, Unfinished> unfinished = new HashMap<>();

  /**
   * @param begin begins a message, of which it receives the first chunk
   * @param complete receives each complete message, and releases its memory
   */
  BulkReceiver(
      Function<LinkFrame.Content, LargeMessages.Incoming> begin,
      BiConsumer<LinkFrame.Content, Runnable> complete) {
    this.begin = begin;
    this.complete = complete;
  }

  /**
   * @throws BadMessageException if the other end violates the protocol
   */
  void first(LinkFrame.First first) {
    Bytes chunk = first.content().bytes();
    if (first.length() <= Links.MAX_BYTES
        || first.length() > WireOutput.MAX_BYTES
        || chunk.length() != Math.min(first.length(), LinkFrame.CHUNK_BYTES)) {
      throw new BadMessageException(
          "%,d of %,d bytes of a large message".formatted(chunk.length(), first.length()));
    }
    boolean isComplete = chunk.length() == first.length();
    if (unfinished.containsKey(first.id())
        || (!isComplete && unfinished.size() >= BulkSender.MAX_BEGUN)) {
      throw new BadMessageException(
          "large message %d, while %d are incomplete".formatted(first.id(), unfinished.size()));
    }
    Unfinished message =
        new Unfinished(
            first.content().with(Bytes.EMPTY), begin.apply(first.content()), first.length());
    unfinished.put(first.id(), message);
    add(first.id(), message, chunk);
  }

  /**
   * @throws BadMessageException if the other end violates the protocol
   */
  void next(LinkFrame.Next next) {
    Unfinished message = unfinished.get(next.id());
    if (message == null
        || next.chunk().length() != Math.min(message.missing, LinkFrame.CHUNK_BYTES)) {
      throw new BadMessageException(
          "%,d bytes of large message %d".formatted(next.chunk().length(), next.id()));
    }
    add(next.id(), message, next.chunk());
  }

  private void add(int id, Unfinished message, Bytes chunk) {
    LargeMessages.Incoming chunks = message.chunks;
    message.missing -= chunk.length();
    if (message.missing == 0) {
      unfinished.remove(id);
    }
    if (chunks == null) {
      return;
    }
    if (!chunks.add(chunk)) {
      message.chunks = null;
    } else if (message.missing == 0) {
      Bytes whole = chunks.finish();
      if (whole != null) {
        handle(message.content.with(whole), chunks);
      }
    }
  }

  private void handle(LinkFrame.Content message, LargeMessages.Incoming chunks) {
    try {
      complete.accept(message, chunks::release);
    } catch (RuntimeException | Error e) {
      // Nobody else releases the memory; a second release does nothing.
      chunks.release();
      throw e;
    }
  }

  /**
   * @throws BadMessageException if the other end violates the protocol
   */
  void abort(LinkFrame.Abort abort) {
    Unfinished message = unfinished.remove(abort.id());
    if (message == null) {
      throw new BadMessageException("the end of large message %d".formatted(abort.id()));
    }
    drop(message);
  }

  private static void drop(Unfinished message) {
    if (message.chunks != null) {
      message.chunks.drop();
    }
  }

  /** The connection broke: drops the incomplete messages. */
  void close() {
    unfinished.values().forEach(BulkReceiver::drop);
    unfinished.clear();
  }
}
