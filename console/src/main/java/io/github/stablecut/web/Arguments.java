package io.github.stablecut.web;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The arguments of a request: the fields of a JSON object, or the parameters of a query. Each is
 * validated when it is read, and errors name the field. Immutable.
 */
public final class Arguments {
  private static final int MAX_SHOWN = 40;

  private final ObjectNode fields;

  private Arguments(ObjectNode fields) {
    this.fields = fields;
  }

  /** Parses the fields of a JSON object. */
  static Arguments ofBody(byte[] body) {
    return of(Json.read(body), "the body");
  }

  private static Arguments of(JsonNode node, String what) {
    if (node instanceof ObjectNode object) {
      return new Arguments(object);
    }
    throw WebException.badRequest(what + " must be a JSON object, not " + shown(node));
  }

  /** Parses the parameters of a query. */
  static Arguments ofQuery(String query) {
    ObjectNode fields = JsonNodeFactory.instance.objectNode();
    for (String parameter : query.isEmpty() ? new String[0] : query.split("&", -1)) {
      int equals = parameter.indexOf('=');
      if (equals < 0) {
        throw WebException.badRequest("a parameter must be name=value, not " + cut(parameter));
      }
      String name = decoded(parameter.substring(0, equals));
      if (fields.has(name)) {
        throw WebException.badRequest(cut(name) + " is given more than once");
      }
      fields.put(name, decoded(parameter.substring(equals + 1)));
    }
    return new Arguments(fields);
  }

  /** Wraps decoded parameters. */
  public static Arguments of(Map<String, String> parameters) {
    ObjectNode fields = JsonNodeFactory.instance.objectNode();
    parameters.forEach(fields::put);
    return new Arguments(fields);
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw WebException.badRequest("the address has an invalid percent encoding: " + cut(text));
    }
  }

  /**
   * Refuses unknown names, so that a misspelt name is not ignored.
   *
   * @param path the path of the request
   * @throws WebException if there is a field with another name
   */
  public void checkNames(String path, Set<String> known) {
    Set<String> unknown = new TreeSet<>();
    fields.fieldNames().forEachRemaining(unknown::add);
    if (known.containsAll(unknown)) {
      return;
    }
    unknown.removeIf(known::contains);
    throw WebException.badRequest(
        "%s has no parameter %s: it has %s"
            .formatted(
                path,
                cut(String.join(", ", unknown)),
                known.isEmpty() ? "none" : String.join(", ", new TreeSet<>(known))));
  }

  /** Whether there is a field. */
  public boolean has(String name) {
    return fields.has(name);
  }

  /**
   * A text field.
   *
   * @param longest the maximum number of code points
   */
  public String text(String name, int longest) {
    JsonNode field = field(name);
    if (!field.isTextual()) {
      throw WebException.badRequest(name + " must be a text, not " + shown(field));
    }
    String text = field.textValue();
    int length = text.codePointCount(0, text.length());
    if (length > longest) {
      throw new WebException(
          413, "%s has %,d characters; the maximum is %,d".formatted(name, length, longest));
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw WebException.badRequest(name + " contains half of a surrogate pair");
    }
    return text;
  }

  /** A text field without surrounding white space; must not be blank. */
  public String line(String name, int longest) {
    String text = text(name, longest).strip();
    if (text.isEmpty()) {
      throw WebException.badRequest(name + " is empty: write something");
    }
    return text;
  }

  /** An integer field in a range, both ends included. */
  public int number(String name, int least, int most) {
    JsonNode field = field(name);
    long number = least - 1L;
    if (field.isIntegralNumber() && field.canConvertToLong()) {
      number = field.longValue();
    } else if (field.isTextual() && field.textValue().matches("-?[0-9]{1,9}")) {
      number = Long.parseLong(field.textValue());
    }
    if (number < least || number > most) {
      throw WebException.badRequest(
          "%s is a number, %,d to %,d, not %s".formatted(name, least, most, shown(field)));
    }
    return (int) number;
  }

  /** A field that names an enum constant in lower case. */
  public <E extends Enum<E>> E constant(String name, Class<E> type) {
    String text = text(name, MAX_SHOWN);
    List<String> names = new ArrayList<>();
    for (E constant : type.getEnumConstants()) {
      String known = constant.name().toLowerCase(Locale.ROOT);
      if (known.equals(text)) {
        return constant;
      }
      names.add(known);
    }
    throw WebException.badRequest("%s must be one of %s, not %s".formatted(name, names, cut(text)));
  }

  /** A field that is a list of objects. */
  public List<Arguments> list(String name, int most) {
    JsonNode field = field(name);
    if (!field.isArray() || field.size() > most) {
      throw WebException.badRequest(
          "%s must be a list of at most %,d, not %s".formatted(name, most, shown(field)));
    }
    List<Arguments> all = new ArrayList<>();
    field.forEach(element -> all.add(of(element, "an element of " + name)));
    return all;
  }

  private JsonNode field(String name) {
    JsonNode field = fields.get(name);
    if (field == null || field.isNull()) {
      throw WebException.badRequest(name + " is missing");
    }
    return field;
  }

  private static String shown(JsonNode node) {
    return cut(node.toString());
  }

  private static String cut(String text) {
    int[] points = text.codePoints().limit(MAX_SHOWN + 1L).toArray();
    return points.length <= MAX_SHOWN
        ? text
        : new String(Arrays.copyOf(points, MAX_SHOWN), 0, MAX_SHOWN) + "…";
  }
}
