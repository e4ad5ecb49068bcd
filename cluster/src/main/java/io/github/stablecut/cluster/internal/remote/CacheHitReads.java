package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.codec.QuestionCodec;
import io.github.stablecut.crdt.question.NamedQuestion;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.crdt.question.StreamQuestion;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.key.ObjectQuery;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Replies to reads of small objects that are in memory. Such a read never waits, reads a disk,
 * takes long or executes user code. Stateless.
 */
final class CacheHitReads {
  private CacheHitReads() {}

  /**
   * Returns the reply to a request.
   *
   * @return empty if the request is no cache hit; the server then executes it
   */
  static Optional<Reply> answer(RequestServer server, RequestServer.EncodedRequest incoming) {
    OpenPartition open = server.find(incoming.partition()).orElse(null);
    if (open == null
        || open.epoch() != incoming.epoch()
        || !RequestCodec.isReadOfObject(incoming.request())) {
      return Optional.empty();
    }
    try {
      Request request = RequestCodec.ofNode().decode(incoming.request(), incoming.clock());
      // A large reply would have to wait for memory.
      return answer(open.partition(), request)
          .filter(reply -> reply.largeBytes() <= Links.MAX_BYTES && open.isServing());
    } catch (RuntimeException e) {
      // The server replies when it executes the request.
      return Optional.empty();
    }
  }

  private static Optional<Reply> answer(Partition partition, Request request) {
    if (request instanceof Request.Read read) {
      return Optional.ofNullable(hit(partition, read.id(), read.at()))
          .map(
              hit ->
                  new Reply.ObjectVersion(
                      Optional.of(hit.narrowed(QuestionCodec.decodeFootprint(read.part()))),
                      partition.pruneFrontier(read.at())));
    } else if (request instanceof Request.Query ask) {
      Question<?> question = QuestionCodec.decodeQuestion(ask.question());
      return question instanceof NamedQuestion<?>
              || question instanceof StreamQuestion
              || question instanceof Question.InEntry
          ? Optional.empty()
          : answer(partition, ask, question);
    }
    return Optional.empty();
  }

  private static <A> Optional<Reply> answer(
      Partition partition, Request.Query ask, Question<A> question) {
    Version hit = hit(partition, ask.id(), ask.at());
    if (hit == null) {
      return Optional.empty();
    }
    CrdtType<?, ?, ?, ?> type = ask.type();
    A answer = ObjectQuery.answer(ask.id(), type, question, hit.stateAs(type, ask.id()), ask.at());
    return Optional.of(new Reply.Answer(QuestionCodec.encodeAnswer(question, answer)));
  }

  /** Returns a version that fits a small reply. */
  private static @Nullable Version hit(Partition partition, Bytes id, VectorClock at) {
    Version hit = partition.hitNow(id, at);
    return hit == null || hit.isInPages() || hit.heldBytes() > Links.MAX_BYTES ? null : hit;
  }
}
