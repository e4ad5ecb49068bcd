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
 * Validate-or-read: a client that holds a value asks whether it is still what the transaction sees.
 * A token is a digest of the value, so a token is valid exactly if the value is the same, wherever
 * and whenever it was read, own writes of the transaction included.
 */
final class Validation {
  private static final int TOKEN_BYTES = 16;

  private Validation() {}

  /**
   * The answer. What has not changed is not kept, however much it is.
   *
   * @param reads what objects are
   * @param maxBytes how large the answer may become
   */
  static Response of(
      Request.Validate request, Function<BoundObject, WireValue> reads, long maxBytes) {
    List<Optional<WireValue>> answers = new ArrayList<>();
    List<Bytes> tokens = new ArrayList<>();
    Map<BoundObject, WireValue> kept = new HashMap<>();
    long bytes = 0;
    for (int i = 0; i < request.objects().size(); i++) {
      BoundObject object = request.objects().get(i);
      WireValue known = kept.get(object);
      WireValue value = known == null ? reads.apply(object) : known;
      Bytes token = token(value);
      tokens.add(token);
      if (token.equals(request.tokens().get(i))) {
        answers.add(Optional.empty());
      } else {
        bytes = ValueCodec.count(value, bytes, maxBytes);
        var unused = kept.put(object, value);
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
