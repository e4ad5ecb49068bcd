package io.github.stablecut.error;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Escapes text from sockets, files and settings for use within one line: terminal control
 * characters, line breaks and changes of the writing direction. So foreign input can't forge a
 * message or hide part of it.
 *
 * <p>Control characters (C0, DEL, C1), line and paragraph separators, bidirectional controls and
 * lone surrogates become {@code \n}, {@code \r}, {@code \t} or {@code \}{@code uXXXX}. All other
 * characters stay, including backslashes, so escaping is idempotent.
 */
public final class PrintableText {
  /** Cc: C0, DEL, C1; Cs: surrogates outside of a pair; and characters of bidirectional text. */
  private static final Pattern UNPRINTABLE =
      Pattern.compile(
          "[\\p{Cc}\\p{Cs}\\x{061c}\\x{200e}-\\x{200f}\\x{2028}-\\x{202e}\\x{2066}-\\x{2069}]");

  private PrintableText() {}

  /** The escaped text, whatever its length. */
  public static String of(String text) {
    return UNPRINTABLE
        .matcher(text)
        .replaceAll(found -> Matcher.quoteReplacement(escape(found.group().charAt(0))));
  }

  /**
   * The escaped text; a longer text is truncated, and its length appended.
   *
   * @param maxChars the maximum number of characters to keep, before escaping
   */
  public static String of(String text, int maxChars) {
    if (text.length() <= maxChars) {
      return of(text);
    }
    boolean splitsPair = maxChars > 0 && Character.isHighSurrogate(text.charAt(maxChars - 1));
    String start = text.substring(0, splitsPair ? maxChars - 1 : maxChars);
    return "%s… (%,d characters)".formatted(of(start), text.length());
  }

  private static String escape(char c) {
    return switch (c) {
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      default -> "\\u%04x".formatted((int) c);
    };
  }
}
