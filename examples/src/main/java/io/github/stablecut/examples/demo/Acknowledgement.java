package io.github.stablecut.examples.demo;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a writer says of a transaction whose commit has returned, as a line. Immutable.
 *
 * @param writer the writer's number
 * @param number the transaction's number, from 1
 */
record Acknowledgement(int writer, long number) {
  /** The last word shows that a line is whole. */
  private static final Pattern LINE = Pattern.compile("(\\d{1,9}) (\\d{1,18}) acknowledged");

  String toLine() {
    return writer + " " + number + " acknowledged";
  }

  /** What a line says; nothing if the line was cut off. */
  static Optional<Acknowledgement> parse(String line) {
    Matcher matcher = LINE.matcher(line);
    return matcher.matches()
        ? Optional.of(
            new Acknowledgement(
                Integer.parseInt(matcher.group(1)), Long.parseLong(matcher.group(2))))
        : Optional.empty();
  }
}
