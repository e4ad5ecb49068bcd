package io.github.stablecut.cluster.terminal;

import java.util.Map;
import java.util.Properties;

/**
 * The capabilities of this process's outputs. The scripts that start the JVM determine which
 * outputs are terminals and pass this in system properties, because Java can't examine each output.
 * Immutable.
 *
 * @param colour whether standard output shows colours: it is a terminal, and neither {@code
 *     NO_COLOR} nor {@code TERM=dumb} is set (no-color.org)
 * @param progress whether standard error shows a line that changes
 * @param columns how many characters a line of it has
 */
public record Terminal(boolean colour, boolean progress, int columns) {
  private static final String TERMINAL = "terminal";

  /** The width of a terminal that does not report it. */
  private static final int COLUMNS = 80;

  /** Returns the capabilities of this process's outputs. */
  public static Terminal ofProcess() {
    return of(System.getenv(), System.getProperties());
  }

  static Terminal of(Map<String, String> environment, Properties properties) {
    boolean moves = !environment.getOrDefault("TERM", "").equals("dumb");
    boolean plain = !environment.getOrDefault("NO_COLOR", "").isEmpty();
    return new Terminal(
        moves && !plain && TERMINAL.equals(properties.getProperty("stablecut.stdout")),
        moves && TERMINAL.equals(properties.getProperty("stablecut.stderr")),
        columns(properties.getProperty("stablecut.columns", "")));
  }

  private static int columns(String text) {
    return text.matches("[1-9]\\d{0,3}") ? Integer.parseInt(text) : COLUMNS;
  }

  /** A text in bold, if there are colours. */
  public String bold(String text) {
    return style("1", text);
  }

  /** A text of less weight. */
  public String dim(String text) {
    return style("2", text);
  }

  /** A text that says that something is right. */
  public String green(String text) {
    return style("32", text);
  }

  /** A text that says that something is wrong. */
  public String red(String text) {
    return style("31", text);
  }

  /** A text that a program could hold. */
  public String cyan(String text) {
    return style("36", text);
  }

  private String style(String code, String text) {
    return colour ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
