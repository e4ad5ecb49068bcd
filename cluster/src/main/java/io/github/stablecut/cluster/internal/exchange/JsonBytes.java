package io.github.stablecut.cluster.internal.exchange;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;

/**
 * Bytes in JSON: a string if they are UTF-8, otherwise {@code {"base64": "..."}}. So text is
 * readable, and nothing is lost.
 */
public final class JsonBytes {
  private static final String BASE64 = "base64";

  private JsonBytes() {}

  /** Converts bytes to JSON. */
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

  static ArrayNode writeAll(Collection<Bytes> all) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode(all.size());
    all.forEach(bytes -> array.add(write(bytes)));
    return array;
  }

  /**
   * Reads the bytes of a node.
   *
   * @param what describes the node in messages
   * @throws MalformedLineException if it does not contain bytes
   */
  public static Bytes read(JsonNode node, String what) {
    if (node.isTextual()) {
      return Bytes.wrap(utf8(node.textValue(), what));
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

  static List<Bytes> readAll(JsonNode node, String what) {
    if (!node.isArray()) {
      throw new MalformedLineException(what + " is not an array");
    }
    List<Bytes> all = new ArrayList<>(node.size());
    for (JsonNode element : node) {
      all.add(read(element, "element " + all.size() + " of " + what));
    }
    return all;
  }

  /**
   * Reads valid Unicode text.
   *
   * @throws MalformedLineException if the node does not contain it
   */
  static String readText(JsonNode node, String what) {
    if (!node.isTextual()) {
      throw new MalformedLineException(what + " is not a string");
    }
    utf8(node.textValue(), what);
    return node.textValue();
  }

  @CanIgnoreReturnValue
  private static byte[] utf8(String text, String what) {
    try {
      ByteBuffer encoded = UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      byte[] array = new byte[encoded.remaining()];
      encoded.get(array);
      return array;
    } catch (CharacterCodingException e) {
      throw new MalformedLineException(what + " has half of a surrogate pair: it is not Unicode");
    }
  }
}
