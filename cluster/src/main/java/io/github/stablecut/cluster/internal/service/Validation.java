package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.Transaction;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.ValueCodec;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.crdt.Bytes;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Validate-or-read: a client that holds a value asks whether it is still what the transaction sees.
 * A token is a digest of the value, so a token is valid exactly if the value is the same, wherever
 * and whenever it was read, own writes of the transaction included.
 */
final class Validation {
  private static final int TOKEN_BYTES = 16;

  private Validation() {}

  static Response of(Transaction transaction, Request.Validate request) {
    List<Optional<WireValue>> answers = new ArrayList<>();
    List<Bytes> tokens = new ArrayList<>();
    List<WireValue> values = RequestHandler.values(transaction, request.objects());
    for (int i = 0; i < values.size(); i++) {
      Bytes token = token(values.get(i));
      tokens.add(token);
      answers.add(
          token.equals(request.tokens().get(i)) ? Optional.empty() : Optional.of(values.get(i)));
    }
    return new Response.Validated(answers, tokens);
  }

  private static Bytes token(WireValue value) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (ByteBuffer part : ValueCodec.encode(value)) {
        digest.update(part);
      }
      return Bytes.wrap(Arrays.copyOf(digest.digest(), TOKEN_BYTES));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }
}
