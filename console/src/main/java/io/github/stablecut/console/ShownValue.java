package io.github.stablecut.console;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.UnreadableValue;
import io.github.stablecut.crdt.sequence.Text;
import io.github.stablecut.crdt.stream.StreamValue;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Converts an object's value to JSON of limited size. The field {@code kind} names the kind of
 * value; {@code count} is the number of elements where only the first ones are shown. Confined to
 * one value.
 *
 * <pre>
 *   {"kind": "number", "text": "12"}              all digits, which not every JSON parser keeps
 *   {"kind": "flag", "on": true}
 *   {"kind": "text", "text": "…", "length": 12}   characters, or bytes that are UTF-8
 *   {"kind": "bytes", "hex": "…", "length": 12}
 *   {"kind": "none"}                              a register or a record without a value
 *   {"kind": "list", "items": [value …], "count": 12}                 also sets
 *   {"kind": "map", "entries": [{"key": value, "value": value, "type": "…"} …], "count": 12}
 *   {"kind": "stream", "first": 0, "items": [value …], "count": 12}   the last entries
 *   {"kind": "other", "text": "…"}
 * </pre>
 */
final class ShownValue {
  private static final int MAX_ITEMS = 300;
  private static final int MAX_CHARACTERS = 4_000;
  private static final int MAX_BYTES = 512;

  private int items;

  private ShownValue() {}

  /** The JSON of a value, including a sum that exceeds the range of {@code long}. */
  static Map<String, Object> of(Supplier<?> value) {
    return new ShownValue().show(UnreadableValue.orSum(value));
  }

  private Map<String, Object> show(Object value) {
    if (value instanceof Number number) {
      return shown("number", "text", number.toString());
    } else if (value instanceof Boolean flag) {
      return shown("flag", "on", flag);
    } else if (value instanceof Bytes bytes) {
      return bytes(bytes);
    } else if (value instanceof CharSequence text) {
      return text(text);
    } else if (value instanceof Optional<?> optional) {
      return optional.<Map<String, Object>>map(this::show).orElseGet(() -> shown("none"));
    } else if (value instanceof StreamValue stream) {
      return stream(stream);
    } else if (value instanceof Map<?, ?> map) {
      return map(map);
    } else if (value instanceof Collection<?> collection) {
      Map<String, Object> list = shown("list", "items", items(collection));
      list.put("count", collection.size());
      return list;
    }
    return shown("other", "text", shortened(value.toString()));
  }

  private static Map<String, Object> shown(String kind) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("kind", kind);
    return shown;
  }

  private static Map<String, Object> shown(String kind, String name, Object content) {
    Map<String, Object> shown = shown(kind);
    shown.put(name, content);
    return shown;
  }

  private List<Object> items(Iterable<?> all) {
    List<Object> shown = new ArrayList<>();
    for (Object one : all) {
      if (items >= MAX_ITEMS) {
        break;
      }
      items++;
      shown.add(show(one));
    }
    return shown;
  }

  private Map<String, Object> map(Map<?, ?> map) {
    List<Object> entries = new ArrayList<>();
    for (Object key : map.keySet()) {
      if (items >= MAX_ITEMS) {
        break;
      }
      items++;
      Map<String, Object> shown = new LinkedHashMap<>();
      if (key instanceof MapKey<?, ?> place) {
        shown.put("key", show(place.key()));
        shown.put("type", place.type().name());
      } else {
        shown.put("key", show(key));
      }
      shown.put("value", show(UnreadableValue.orSum(() -> Objects.requireNonNull(map.get(key)))));
      entries.add(shown);
    }
    Map<String, Object> shown = shown("map", "entries", entries);
    shown.put("count", map.size());
    return shown;
  }

  private Map<String, Object> stream(StreamValue stream) {
    long from = Math.max(stream.first(), stream.tail() - MAX_ITEMS / 3);
    Map<String, Object> shown =
        shown("stream", "items", items(stream.entries(from, stream.tail())));
    shown.put("first", from);
    shown.put("count", stream.tail() - stream.first());
    return shown;
  }

  private static Map<String, Object> text(CharSequence text) {
    int end = Math.min(text.length(), MAX_CHARACTERS);
    if (end < text.length() && end > 0 && Character.isHighSurrogate(text.charAt(end - 1))) {
      end--;
    }
    CharSequence part =
        text instanceof Text whole ? whole.subSequence(0, end) : text.subSequence(0, end);
    Map<String, Object> shown = shown("text", "text", part.toString());
    shown.put("length", text.length());
    return shown;
  }

  /** The JSON of bytes: a text if they are UTF-8. */
  static Map<String, Object> bytes(Bytes bytes) {
    if (bytes.length() <= 4 * MAX_CHARACTERS) {
      Optional<String> text = utf8(bytes);
      if (text.isPresent()) {
        return text(text.get());
      }
    }
    Bytes part = bytes.slice(0, Math.min(MAX_BYTES, bytes.length()));
    Map<String, Object> shown = shown("bytes", "hex", HexFormat.of().formatHex(part.toArray()));
    shown.put("length", bytes.length());
    return shown;
  }

  private static Optional<String> utf8(Bytes bytes) {
    try {
      String text =
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toArray())).toString();
      boolean isPlain =
          text.chars()
              .noneMatch(one -> Character.isISOControl(one) && !Character.isWhitespace(one));
      return isPlain ? Optional.of(text) : Optional.empty();
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }

  private static String shortened(String text) {
    return text.length() <= MAX_CHARACTERS ? text : text.substring(0, MAX_CHARACTERS) + "…";
  }
}
