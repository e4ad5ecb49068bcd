package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.cluster.internal.antidote.BoundObject;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.ValueCodec;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.file.Sha256;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Validate-or-read: a client that caches a value asks whether its transaction still sees the same.
 * A token is a digest of the value, including the transaction's own writes. So a token is valid
 * exactly if the values are equal, wherever and whenever the cached one was read.
 */
final class Validation {
  private static final int TOKEN_BYTES = 16;

  private Validation() {}

  /**
   * Answers a request. Unchanged values are not retained, whatever their size.
   *
   * @param reads reads an object
   * @param maxBytes maximum size of the answer
   */
  static Response of(
      Request.Validate request, Function<BoundObject, WireValue> reads, long maxBytes) {
    List<Optional<WireValue>> answers = new ArrayList<>();
    List<Bytes> tokens = new ArrayList<>();
    Map<BoundObject, WireValue> changed = new HashMap<>();
    long bytes = 0;
    for (int i = 0; i < request.objects().size(); i++) {
      BoundObject object = request.objects().get(i);
      WireValue cached = changed.get(object);
      WireValue value = cached == null ? reads.apply(object) : cached;
      Bytes token = token(value);
      tokens.add(token);
      if (token.equals(request.tokens().get(i))) {
        answers.add(Optional.empty());
      } else {
        bytes = ValueCodec.count(value, bytes, maxBytes);
        changed.put(object, value);
        answers.add(Optional.of(value));
      }
    }
    return new Response.Validated(answers, tokens);
  }

  private static Bytes token(WireValue value) {
    MessageDigest digest = Sha256.begin();
    for (ByteBuffer part : ValueCodec.encode(value)) {
      digest.update(part);
    }
    return Bytes.wrap(Arrays.copyOf(digest.digest(), TOKEN_BYTES));
  }
}
