package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.ResponseCodec;
import io.github.stablecut.cluster.internal.antidote.TooLargeException;
import io.github.stablecut.cluster.internal.service.handle.Failures;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * Encodes answers of AntidoteDB's protocol.
 *
 * @param maxBytes maximum size of an answer
 */
record RequestReplies(long maxBytes) implements Replies<Response> {
  private static final Response MEMORY_FULL = new Response.Failed(ErrorCode.BUSY, UNTAKEN);

  @Override
  public boolean isFailure(Response response) {
    return response instanceof Response.Failed
        || response instanceof Response.NotCommitted
        || response instanceof Response.DataCentreNotCreated
        || response instanceof Response.DataCentresNotConnected
        || response instanceof Response.Refused;
  }

  @Override
  public long minBytes(Response response) {
    return ResponseCodec.minBytes(response);
  }

  @Override
  public List<ByteBuffer> frame(Response response) {
    return ResponseCodec.write(response, maxBytes);
  }

  @Override
  public Response untaken(Response response) {
    return MEMORY_FULL;
  }

  @Override
  public Optional<Response> refused(Response response, RuntimeException why) {
    return why instanceof TooLargeException ? Optional.of(Failures.answer(why)) : Optional.empty();
  }

  @Override
  public Optional<Response> unsent(Throwable failure) {
    return Optional.of(Failures.answer(failure));
  }

  @Override
  public boolean needsKeepAlive() {
    return false;
  }
}
