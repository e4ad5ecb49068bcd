package io.github.stablecut.web;

import io.github.stablecut.crdt.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * A file next to a class on the class path. Immutable.
 *
 * @param type its media type
 */
record StaticFile(String type, Bytes bytes) {
  /** Reads a file. */
  static StaticFile of(Class<?> neighbour, String name) {
    try (InputStream in = neighbour.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalArgumentException("not packaged: %s of %s".formatted(name, neighbour));
      }
      return new StaticFile(typeOf(name), Bytes.wrap(in.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(name, e);
    }
  }

  private static String typeOf(String name) {
    String ending = name.substring(name.lastIndexOf('.') + 1);
    return switch (ending) {
      case "html" -> "text/html; charset=utf-8";
      case "css" -> "text/css; charset=utf-8";
      case "js" -> "text/javascript; charset=utf-8";
      case "svg" -> "image/svg+xml";
      default -> throw new IllegalArgumentException("no media type is known for " + name);
    };
  }
}
