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
 * The path and parameters of a request, all of which are UTF-8: a replacement for what is not would
 * be the name of another object. Each is there once, behind the path or in the form: of two, one
 * would be left out without a word. Immutable.
 */
record HttpParameters(String path, Map<String, String> all) {
  /** No fewer than there is room for: none is left out without a word. */
  private static final int MOST = HttpServer.MAX_REQUEST_BYTES;

  private static final int HEX = 16;

  /**
   * Decodes them.
   *
   * @param line behind the method, each byte a character
   * @param form of the body; empty if there is none
   * @throws IllegalArgumentException says why they can't be decoded
   */
  static HttpParameters decode(String line, byte[] form) {
    QueryStringDecoder first =
        new QueryStringDecoder(utf8(line.getBytes(ISO_8859_1)), UTF_8, true, MOST, true);
    Map<String, String> all = new HashMap<>();
    add(first, all);
    add(new QueryStringDecoder(utf8(form), UTF_8, false, MOST, true), all);
    return new HttpParameters(first.path(), all);
  }

  private static void add(QueryStringDecoder sent, Map<String, String> all) {
    sent.parameters()
        .forEach(
            (name, values) -> {
              if (values.size() > 1 || all.putIfAbsent(name, values.get(0)) != null) {
                throw new IllegalArgumentException(name + " is there more than once");
              }
            });
  }

  /** The text that bytes stand for, which are UTF-8 also where they are percent-encoded. */
  private static String utf8(byte[] sent) {
    try {
      var unused = UTF_8.newDecoder().decode(ByteBuffer.wrap(withoutPercent(sent)));
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
          throw new IllegalArgumentException("after each % come two hexadecimal digits");
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
