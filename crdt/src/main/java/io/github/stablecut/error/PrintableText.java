package io.github.stablecut.error;

/**
 * Text from sockets, files and settings as part of one line: what a terminal obeys, what begins a
 * new line and what reverses the direction of writing is escaped, so that nobody can forge a
 * message or hide a part of it.
 *
 * <p>Control characters (C0, DEL, C1), line and paragraph separators, bidirectional controls and
 * lone surrogates become {@code \n}, {@code \r}, {@code \t} or {@code \}{@code uXXXX}. All other
 * characters stay, backslashes too: so text that is escaped twice is the same as once.
 */
public final class PrintableText {
  private PrintableText() {}

  /** The escaped text, whatever its length. */
  public static String of(String text) {
    int plain = 0;
    while (plain < text.length() && isPrintable(text, plain)) {
      plain++;
    }
    if (plain == text.length()) {
      return text;
    }
    StringBuilder escaped = new StringBuilder(text.length() + 16).append(text, 0, plain);
    for (int i = plain; i < text.length(); i++) {
      char c = text.charAt(i);
      if (isPrintable(text, i)) {
        escaped.append(c);
      } else {
        escaped.append(escape(c));
      }
    }
    return escaped.toString();
  }

  /**
   * The escaped text; one that is too long is cut, and followed by its length.
   *
   * @param maxChars how many characters of the text remain at most, before they are escaped
   */
  public static String of(String text, int maxChars) {
    if (text.length() <= maxChars) {
      return of(text);
    }
    boolean splitsPair = maxChars > 0 && Character.isHighSurrogate(text.charAt(maxChars - 1));
    String start = text.substring(0, splitsPair ? maxChars - 1 : maxChars);
    return "%s… (%,d characters)".formatted(of(start), text.length());
  }

  private static boolean isPrintable(String text, int index) {
    char c = text.charAt(index);
    if (c < 0x7f) {
      return c >= ' ';
    }
    if (Character.isHighSurrogate(c)) {
      return index + 1 < text.length() && Character.isLowSurrogate(text.charAt(index + 1));
    }
    if (Character.isLowSurrogate(c)) {
      return index > 0 && Character.isHighSurrogate(text.charAt(index - 1));
    }
    return c > 0x9f && !isSeparatorOrBidirectional(c);
  }

  private static boolean isSeparatorOrBidirectional(char c) {
    return c == 0x061c
        || (c >= 0x200e && c <= 0x200f)
        || (c >= 0x2028 && c <= 0x202e)
        || (c >= 0x2066 && c <= 0x2069);
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
