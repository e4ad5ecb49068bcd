package io.github.stablecut.examples.demo;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line by which a writer reports that a transaction's commit has returned. Immutable.
 *
 * @param writer the writer's number
 * @param number the transaction's number, from 1
 */
record Acknowledgement(int writer, long number) {
  /** The last word shows that a line is complete. */
  private static final Pattern LINE = Pattern.compile("(\\d{1,9}) (\\d{1,18}) acknowledged");

  String toLine() {
    return writer + " " + number + " acknowledged";
  }

  /** Parses a line; empty if it is incomplete. */
  static Optional<Acknowledgement> parse(String line) {
    Matcher matcher = LINE.matcher(line);
    return matcher.matches()
        ? Optional.of(
            new Acknowledgement(
                Integer.parseInt(matcher.group(1)), Long.parseLong(matcher.group(2))))
        : Optional.empty();
  }
}
