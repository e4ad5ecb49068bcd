package io.github.stablecut.cluster.internal.network;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.handler.codec.http.QueryStringDecoder;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.HashMap;
import java.util.Map;

/**
 * The path and parameters of a request, from its query and its form. Invalid UTF-8 is an error,
 * since replacement characters could name another object. So is a repeated parameter, of which one
 * would be ignored silently. Immutable.
 */
record HttpParameters(String path, Map<String, String> all) {
  /** As many as fit into a request, so that none is ignored silently. */
  private static final int MAX_PARAMETERS = HttpServer.MAX_REQUEST_BYTES;

  private static final int HEX = 16;

  /**
   * Decodes the parameters of a request.
   *
   * @param line the request target, one character per byte
   * @param form the body's form; empty without one
   * @throws IllegalArgumentException if they can't be decoded; the message says why
   */
  static HttpParameters decode(String line, byte[] form) {
    QueryStringDecoder first =
        new QueryStringDecoder(utf8(line.getBytes(ISO_8859_1)), UTF_8, true, MAX_PARAMETERS, true);
    Map<String, String> all = new HashMap<>();
    add(first, all);
    add(new QueryStringDecoder(utf8(form), UTF_8, false, MAX_PARAMETERS, true), all);
    return new HttpParameters(first.path(), all);
  }

  private static void add(QueryStringDecoder sent, Map<String, String> all) {
    sent.parameters()
        .forEach(
            (name, values) -> {
              if (values.size() > 1 || all.putIfAbsent(name, values.get(0)) != null) {
                throw new IllegalArgumentException(name + " is repeated");
              }
            });
  }

  /** Decodes text, and checks that it is UTF-8, including the percent-encoded bytes. */
  private static String utf8(byte[] sent) {
    try {
      UTF_8.newDecoder().decode(ByteBuffer.wrap(withoutPercent(sent)));
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(sent)).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("they are not UTF-8", e);
    }
  }

  private static byte[] withoutPercent(byte[] sent) {
    ByteArrayOutputStream decoded = new ByteArrayOutputStream(sent.length);
    for (int i = 0; i < sent.length; i++) {
      if (sent[i] == '%') {
        int high = i + 1 < sent.length ? Character.digit(sent[i + 1], HEX) : -1;
        int low = i + 2 < sent.length ? Character.digit(sent[i + 2], HEX) : -1;
        if (high < 0 || low < 0) {
          throw new IllegalArgumentException("a % is not followed by two hexadecimal digits");
        }
        decoded.write(high * HEX + low);
        i += 2;
      } else {
        decoded.write(sent[i]);
      }
    }
    return decoded.toByteArray();
  }
}
