package io.github.stablecut.cluster.internal.exchange;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.github.stablecut.crdt.Bytes;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Base64;

/**
 * Bytes in JSON: a string if they are UTF-8, and otherwise {@code {"base64": "..."}}. So texts can
 * be read, and nothing is lost.
 */
public final class JsonBytes {
  private static final String BASE64 = "base64";

  private JsonBytes() {}

  /** The JSON of bytes. */
  public static JsonNode write(Bytes bytes) {
    byte[] array = bytes.toArray();
    try {
      return JsonNodeFactory.instance.textNode(
          UTF_8.newDecoder().decode(ByteBuffer.wrap(array)).toString());
    } catch (CharacterCodingException e) {
      return JsonNodeFactory.instance
          .objectNode()
          .put(BASE64, Base64.getEncoder().encodeToString(array));
    }
  }

  /**
   * The bytes that a node stands for.
   *
   * @throws MalformedLineException if it stands for none
   */
  static Bytes read(JsonNode node, String what) {
    if (node.isTextual()) {
      try {
        ByteBuffer encoded = UTF_8.newEncoder().encode(CharBuffer.wrap(node.textValue()));
        byte[] array = new byte[encoded.remaining()];
        encoded.get(array);
        return Bytes.wrap(array);
      } catch (CharacterCodingException e) {
        throw new MalformedLineException(what + " has half a character");
      }
    }
    if (node.isObject() && node.size() == 1 && node.path(BASE64).isTextual()) {
      try {
        return Bytes.wrap(Base64.getDecoder().decode(node.path(BASE64).textValue()));
      } catch (IllegalArgumentException e) {
        throw new MalformedLineException(what + " is not base64");
      }
    }
    throw new MalformedLineException(what + " is neither a string nor {\"base64\": \"...\"}");
  }
}
