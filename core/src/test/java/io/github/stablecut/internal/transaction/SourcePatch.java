package io.github.stablecut.internal.transaction;

import com.google.errorprone.annotations.Immutable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A change of a source file of the store, for {@link PatchedClasses}. Immutable.
 *
 * @param place the module, and the file below the store's main package
 * @param text what is replaced, with any white space for a blank
 * @param replacement what replaces it
 */
@Immutable
record SourcePatch(String place, String text, String replacement) {
  private static final String SOURCES = "src/main/java/io/github/stablecut/";

  /** The source file. */
  Path file() {
    int end = place.indexOf('/');
    return Path.of("..", place.substring(0, end), SOURCES + place.substring(end + 1) + ".java");
  }

  /**
   * The patched source.
   *
   * @throws IllegalStateException if it does not have the text exactly once
   */
  String patched() {
    Matcher found =
        Pattern.compile(
                Arrays.stream(text.split(" ", -1))
                    .map(Pattern::quote)
                    .collect(Collectors.joining("\\s+")))
            .matcher(source());
    if (found.results().count() != 1) {
      throw new IllegalStateException("%s does not have exactly once: %s".formatted(place, text));
    }
    return found.replaceFirst(Matcher.quoteReplacement(replacement));
  }

  private String source() {
    try {
      return Files.readString(file());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
